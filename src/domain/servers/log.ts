// Log messages of servers during a call, as an MCP host receives them: with the server's name, from the requested level on, and limited in
// size.

import * as z from "zod";
import { type JsonValue, jsonValue } from "../json";
import { cutText } from "../tool";

/** The log levels of MCP, lowest first. */
export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface ServerLog {
  level: LogLevel;
  logger: string;
  data: JsonValue;
}

/** Receives servers' log messages during a call, from this level on. */
export interface LogListener {
  least: LogLevel;
  hear(log: ServerLog): void;
}

/** Number of messages per call, and maximum length of each in UTF-16 units. */
const MOST = 200;
const DATA_CHARS = 8_192;
const LOGGER_CHARS = 100;

export const logLevelSchema = z.lazy(() => z.enum(LOG_LEVELS));
/** A log message for a host. */
export const serverLogSchema = z.lazy(() =>
  z.object({ level: z.enum(LOG_LEVELS), logger: z.string(), data: jsonValue }),
);
const messageSchema = z.lazy(() =>
  z.object({ level: z.enum(LOG_LEVELS), logger: z.string().optional().catch(undefined), data: jsonValue }),
);

/** Returns a function that receives what one server logs during one call. Invalid or excess messages are dropped. */
export function logsFrom(server: string, { least, hear }: LogListener): (params: unknown) => void {
  let count = 0;
  return (params) => {
    const message = messageSchema.safeParse(params).data;
    if (message === undefined || LOG_LEVELS.indexOf(message.level) < LOG_LEVELS.indexOf(least)) return;
    if (++count > MOST) return;
    const { level, logger = "", data } = message;
    const text = JSON.stringify(data);
    const own = logger === "" ? "" : `/${logger.slice(0, LOGGER_CHARS).toWellFormed()}`;
    hear({ level, logger: server + own, data: text.length > DATA_CHARS ? cutText(text, DATA_CHARS) : data });
  };
}
