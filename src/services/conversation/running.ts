// Tool calls that run now in a conversation, who hears of them, and how they are called off.

import { GatewayError } from "../../domain/errors";
import type { ServerLog } from "../../domain/servers/log";
import type { AnsweredCall, ReadCall } from "../../domain/tools/formats";
import type { Progress } from "../../upstream/tool-call";
import type { HostRound } from "../host-questions";

/** Who listens to a step while it runs: hears of each result as it is there, and may call it all off. */
export interface Listener {
  onResult(answered: AnsweredCall): void;
  onProgress(call: ReadCall, progress: Progress): void;
  /** What servers log for the host. */
  onLog(log: ServerLog): void;
  /** Everything that the host is asked and has not answered. */
  onAsked(asked: HostRound): void;
  signal: AbortSignal;
}

/** By call id. */
export type RunningCalls = Map<string, AbortController>;

/** A call by its own id, or by the request with which an MCP host made it. */
export type CallName = string | { clientRequest: string | number };

/** Requests with a longer id cannot be cancelled by it. */
const LONGEST = 200;

/** The id of a call that an MCP host makes. It holds the id of the host's request, since hosts cancel by that. */
export function clientCallId(request: string | number, fresh: string): string {
  const prefix = prefixOf(request);
  return prefix === null ? fresh : `${prefix}${fresh}`;
}

/**
 * Calls one call off. `CALL_NOT_FOUND` where none runs under this name, or more than one: hosts of one conversation count their
 * requests each for itself, and then nobody can tell whose call is meant.
 */
export function cancelCall(running: RunningCalls, name: CallName): null {
  const [call, ...others] = named(running, name);
  if (call === undefined || others.length > 0)
    throw new GatewayError("not_found", "CALL_NOT_FOUND", "Call not found or already finished.");
  call.abort();
  return null;
}

function named(running: RunningCalls, name: CallName): AbortController[] {
  if (typeof name === "string") return [running.get(name) ?? []].flat();
  const prefix = prefixOf(name.clientRequest);
  return prefix === null ? [] : [...running].flatMap(([id, call]) => (id.startsWith(prefix) ? [call] : []));
}

/** In JSON, so that the number 1 and the text "1" differ, and no id is the beginning of another. */
function prefixOf(request: string | number): string | null {
  const text = JSON.stringify(request);
  return text.length > LONGEST ? null : `host:${text}:`;
}
