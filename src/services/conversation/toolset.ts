// Running tools: a call becomes a result. What goes wrong inside a tool is a result with `isError`; only
// storage that does not answer is thrown, since then the whole step should be tried again.

import { TEXTS } from "../../domain/conversation/prompt";
import { sha256Hex } from "../../domain/digest";
import { invalid } from "../../domain/errors";
import type { LogListener } from "../../domain/servers/log";
import { failed, type ToolCall, type ToolResult, toolResultSchema } from "../../domain/tool";
import { builtinOf, isBuiltin } from "../../domain/tools/builtin";
import type { Progress } from "../../upstream/tool-call";
import { type HostAsking, hostQuestionsOf } from "../asking/host-calls";
import type { HostQuestions } from "../host-questions";
import type { Session } from "../session";
import type { HeldCall } from "../session-memory";
import { type CallPlace, callOffered } from "../tools/call";
import { knownTool } from "../tools/memory";
import type { Step } from "../tools/step";
import { standingFinding } from "./auto/front";
import { runBuiltin } from "./builtin";
import { tellCall } from "./pages/calls";
import type { RunningCalls } from "./running";

export interface ToolRun extends Step {
  running: RunningCalls;
  /** Whether the answers go to an MCP client, which takes no prompt. */
  forClient: boolean;
  /** How the MCP host that made the call is asked, where it can be. */
  asks?: HostAsking | null;
  /** The MCP host, where it wants to hear what servers log. */
  logs?: LogListener | null;
  /** The call was made before and asked its host something: it is not made anew. */
  goesOn?: boolean;
}

/** Whether a call is the gateway's to answer. A back end's own tools may be called anything else. */
export function isOurs(session: Session, name: string): boolean {
  const builtin = builtinOf(name);
  if (builtin === null) return knownTool(session, name) !== null;
  const { tool_style, tool_mode } = session.state.policy ?? {};
  return builtin.isOurs({ style: tool_style, mode: tool_mode, finds: standingFinding(session) });
}

/** Loading and unloading run first and in order; they change what everything else in the step sees. */
export function isOrdered(call: ToolCall): boolean {
  return builtinOf(call.name)?.effect === "loads";
}

/** Runs one call, or repeats the stored result of the same call in the same turn. */
export async function runCall(
  run: ToolRun,
  call: ToolCall,
  signal?: AbortSignal,
  onProgress?: CallPlace["onProgress"],
): Promise<ToolResult> {
  const { session } = run;
  const { turn } = session.state;
  const request = await sha256Hex(JSON.stringify([call.name, call.arguments, call.malformed ?? null]));
  const stored = session.store.callResult(call.id, turn, request);
  if (stored !== null) return toolResultSchema.parse(JSON.parse(stored));
  const { held } = session.memory;
  const same = held.get(call.id);
  const standing = session.store.rounds.get({ id: call.id, turn, request });
  if (run.goesOn === true && standing === null) throw invalid([NOTHING_WAITS]);
  const before = same?.request === request ? same : null;
  const asks = run.asks ?? null;
  const host = asks === null ? null : hostQuestionsOf(asks, before?.host ?? null, standing);
  // It waits for an answer: nothing is called a second time.
  if (standing !== null && before !== null) return before.result;
  const cancel = new AbortController();
  const anyway = signal === undefined ? cancel.signal : AbortSignal.any([cancel.signal, signal]);
  run.running.set(call.id, cancel);
  const result = make(run, call, { request, host, cancel, anyway, onProgress });
  const holding: HeldCall = { request, result, host };
  held.set(call.id, holding);
  try {
    return await result;
  } finally {
    if (held.get(call.id) === holding) held.delete(call.id);
  }
}

const NOTHING_WAITS = {
  code: "INVALID_REQUEST_STATE",
  message: "No call of this conversation waits for these answers.",
  path: "requestState",
};

interface Making {
  /** The digest of the call's name and arguments. */
  request: string;
  host: HostQuestions | null;
  cancel: AbortController;
  /** Aborted when the call is cancelled, or whoever asked for it is gone. */
  anyway: AbortSignal;
  onProgress: CallPlace["onProgress"];
}

async function make(run: ToolRun, call: ToolCall, making: Making): Promise<ToolResult> {
  const { session } = run;
  const { request, cancel, anyway, onProgress } = making;
  const told = tellCall(run.context, session, call, request);
  const progressing = (progress: Progress) => {
    told.progress(progress);
    onProgress?.(progress);
  };
  try {
    const result = await Promise.race([answer(run, call, { ...making, onProgress: progressing }), cancelled(anyway)]);
    told.end(result, anyway.aborted);
    session.store.rounds.drop(call.id);
    return result;
  } catch (error) {
    told.fail();
    throw error;
  } finally {
    if (run.running.get(call.id) === cancel) run.running.delete(call.id);
  }
}

async function answer(
  run: ToolRun,
  call: ToolCall,
  { request, host, anyway: signal, onProgress }: Making,
): Promise<ToolResult> {
  if (!run.context.settings.SKILLS_ENABLED) return failed(TEXTS.disabled);
  if (call.malformed !== undefined)
    return failed(`Error: The arguments of '${call.name}' cannot be read: ${call.malformed}.`);
  const { name } = call;
  const { context, session, view, offered, forClient, logs = null } = run;
  const made = { callId: call.id, request, signal, host, onProgress };
  const place = { context, session, view, offered, ...made, forClient, logs };
  const result = isBuiltin(name)
    ? await runBuiltin(place, name, call.arguments)
    : await callOffered(place, name, call.arguments);
  return result ?? failed(`Error: There is no tool '${name}'.`);
}

function cancelled(signal: AbortSignal): Promise<ToolResult> {
  return new Promise((resolve) => {
    const end = () => resolve(failed("Error: The call was cancelled."));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
