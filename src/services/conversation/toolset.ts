// Running tools: a call becomes a result. What goes wrong inside a tool is a result with `isError`; only
// storage that does not answer is thrown, since then the whole step should be tried again.

import { TEXTS } from "../../domain/conversation/prompt";
import { sha256Hex } from "../../domain/digest";
import { failed, type ToolCall, type ToolResult, toolResultSchema } from "../../domain/tool";
import { builtinOf, isBuiltin } from "../../domain/tools/builtin";
import type { Progress } from "../../upstream/tool-call";
import type { Session } from "../session";
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
  const cancel = new AbortController();
  const anyway = signal === undefined ? cancel.signal : AbortSignal.any([cancel.signal, signal]);
  run.running.set(call.id, cancel);
  const told = tellCall(run.context, session, call, request);
  const progressing = (progress: Progress) => {
    told.progress(progress);
    onProgress?.(progress);
  };
  try {
    const result = await Promise.race([answer(run, call, anyway, progressing), cancelled(anyway)]);
    told.end(result, anyway.aborted);
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
  signal: AbortSignal,
  onProgress: CallPlace["onProgress"],
): Promise<ToolResult> {
  if (!run.context.settings.SKILLS_ENABLED) return failed(TEXTS.disabled);
  if (call.malformed !== undefined)
    return failed(`Error: The arguments of '${call.name}' cannot be read: ${call.malformed}.`);
  const { name } = call;
  const { context, session, view, offered, forClient } = run;
  const place = { context, session, view, offered, callId: call.id, signal, onProgress, forClient };
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
