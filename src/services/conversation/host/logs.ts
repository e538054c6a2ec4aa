// What servers log while a host's call runs: from the level on that the host asked for.

import { type LogLevel, type LogListener, logLevelSchema, type ServerLog } from "../../../domain/servers/log";
import type { Session } from "../../session";
import type { ToolCallsRequest } from "../api";

/** Who hears of a step's log messages, and what is kept for its answer where nobody does meanwhile. */
export interface StepLogs {
  listener: LogListener | null;
  kept: ServerLog[];
}

/** @param onLog hears of each as it comes */
export function logsFor(
  { store }: Session,
  { logs }: ToolCallsRequest,
  onLog: ((log: ServerLog) => void) | undefined,
): StepLogs {
  const kept: ServerLog[] = [];
  const least = logs === "kept" ? store.get("log_level", logLevelSchema) : (logs ?? null);
  const hear = onLog ?? ((log) => void kept.push(log));
  return { listener: least === null ? null : { least, hear }, kept };
}

/** From now on hosts of 2025 hear this level and what is above it. It is the conversation's: they have no session of their own. */
export function setLevel({ store }: Session, level: LogLevel): null {
  store.set("log_level", level);
  return null;
}
