// Collects log messages of servers during a host's call, from the level the host requested.

import { type LogLevel, type LogListener, logLevelSchema, type ServerLog } from "../../../domain/servers/log";
import type { Session } from "../../session";
import type { ToolCallsRequest } from "../api";

/** Receives log messages of a step, and stores them for the result if nothing receives them meanwhile. */
export interface StepLogs {
  listener: LogListener | null;
  kept: ServerLog[];
}

/** @param onLog called for each message */
export function logsFor(
  { store }: Session,
  { logs }: ToolCallsRequest,
  onLog: ((log: ServerLog) => void) | undefined,
): StepLogs {
  const collected: ServerLog[] = [];
  const least = logs === "kept" ? store.get("log_level", logLevelSchema) : (logs ?? null);
  const receive = onLog ?? ((log) => void collected.push(log));
  return { listener: least === null ? null : { least, hear: receive }, kept: collected };
}

/**
 * Sets the minimum log level for hosts of MCP 2025 and earlier. Stored in the conversation, because these hosts have no session of their
 * own.
 */
export function setLevel({ store }: Session, level: LogLevel): null {
  store.set("log_level", level);
  return null;
}
