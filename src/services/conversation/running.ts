// Tracks running tool calls of a conversation, their listeners, and cancels them.

import { GatewayError } from "../../domain/errors";
import type { ServerLog } from "../../domain/servers/log";
import type { AnsweredCall, ReadCall } from "../../domain/tools/formats";
import type { Progress } from "../../upstream/tool-call";
import type { HostRound } from "../host-questions";
import type { SignInLink } from "../sign-in-waits";

/** Listens to a step while it runs: receives each result, and can cancel the step. */
export interface Listener {
  onResult(answered: AnsweredCall): void;
  onProgress?(call: ReadCall, progress: Progress): void;
  /** Receives log messages of servers for the host. */
  onLog?(log: ServerLog): void;
  /** Receives all unanswered questions to the host. */
  onAsked?(asked: HostRound): void;
  /** Receives the link of a call whose user must sign in to its server, if neither a page nor the host can be asked. */
  onSignIn?(call: ReadCall, link: SignInLink): void;
  /** Called when a call stops waiting for a sign-in. */
  onGoOn?(call: ReadCall): void;
  /** How the waiting for a sign-in ends (`SignInListener`). If absent, calls do not wait. */
  signInEnded?: Promise<void> | undefined;
  signal?: AbortSignal;
}

/** By call id. */
export type RunningCalls = Map<string, AbortController>;

/** Identifies a call by its id, or by the id of the MCP host's request. */
export type CallName = string | { clientRequest: string | number };

/** Requests with longer ids cannot be cancelled. */
const LONGEST = 200;

/** Returns the id of an MCP host's call. It contains the id of the host's request, because hosts cancel by that. */
export function clientCallId(request: string | number, fresh: string): string {
  const prefix = prefixOf(request);
  return prefix === null ? fresh : `${prefix}${fresh}`;
}

/**
 * Cancels one call. Throws `CALL_NOT_FOUND` if none runs under this name, or more than one does: hosts of one conversation number their
 * requests independently, so the name can be ambiguous.
 */
export function cancelCall(running: RunningCalls, name: CallName): null {
  const [call, ...others] = named(running, name);
  if (call === undefined || others.length > 0)
    throw new GatewayError("not_found", "CALL_NOT_FOUND", "Call not found or already finished. Check its id.");
  call.abort();
  return null;
}

function named(running: RunningCalls, name: CallName): AbortController[] {
  if (typeof name === "string") return [running.get(name) ?? []].flat();
  const prefix = prefixOf(name.clientRequest);
  return prefix === null ? [] : [...running].flatMap(([id, call]) => (id.startsWith(prefix) ? [call] : []));
}

/** Encoded as JSON, so that the number 1 and the text "1" differ and no id is a prefix of another. */
function prefixOf(request: string | number): string | null {
  const text = JSON.stringify(request);
  return text.length > LONGEST ? null : `host:${text}:`;
}
