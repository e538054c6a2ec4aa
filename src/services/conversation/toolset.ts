// Runs tools. An error inside a tool is a result with `isError`; only storage failures are thrown, because then the whole step should be
// retried.

import { TEXTS } from "../../domain/conversation/prompt";
import { sha256Hex } from "../../domain/digest";
import type { LogListener } from "../../domain/servers/log";
import type { TraceContext } from "../../domain/telemetry/trace-context";
import { failed, type ToolCall, type ToolResult, toolResultSchema } from "../../domain/tool";
import { builtinOf, isBuiltin } from "../../domain/tools/builtin";
import type { Progress } from "../../upstream/tool-call";
import { type CallOwner, type RunningCall, runOnce } from "../questions/running-call";
import type { Session } from "../session";
import { type CallPlace, callByOfferedName } from "../tools/call";
import { storedTool } from "../tools/memory";
import type { Step } from "../tools/step";
import { findModeInEffect } from "./auto/front";
import { runBuiltin } from "./builtin";
import { reportCall } from "./pages/calls";

export interface ToolRun extends Step, CallOwner {
  /** Whether the results go to an MCP client, which has no prompt of the gateway. */
  forClient: boolean;
  /** The MCP host, if it wants log messages of servers. */
  logs?: LogListener | null;
}

/** Whether the gateway runs this call. Other names are tools of the back end. */
export function isGatewayCall(session: Session, name: string): boolean {
  const builtin = builtinOf(name);
  if (builtin === null) return storedTool(session, name) !== null;
  const { tool_style, tool_mode } = session.state.policy ?? {};
  return builtin.isOurs({ style: tool_style, mode: tool_mode, finds: findModeInEffect(session) });
}

/** Whether a call loads or unloads. Such calls run first and in order, because they change what the other calls of the step see. */
export function isOrdered(call: ToolCall): boolean {
  return builtinOf(call.name)?.effect === "loads";
}

/** Runs one call, or returns the stored result of the same call in the same turn. */
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
  return runOnce(run, { id: call.id, request }, toolResultSchema, signal, (place) =>
    make(run, call, { ...place, request, onProgress }),
  );
}

interface Making extends RunningCall {
  /** Digest of the call's name and arguments. */
  request: string;
  onProgress: CallPlace["onProgress"];
}

async function make(run: ToolRun, call: ToolCall, making: Making): Promise<ToolResult> {
  const { session } = run;
  const { request, signal, onProgress } = making;
  const report = reportCall(run.context, session, call, request);
  const progressing = (progress: Progress) => {
    report.progress(progress);
    onProgress?.(progress);
  };
  try {
    const result = await Promise.race([
      answer(run, call, { ...making, trace: report.trace, onProgress: progressing }),
      cancelled(signal),
    ]);
    report.end(result, signal.aborted);
    session.store.rounds.drop(call.id);
    return result;
  } catch (error) {
    report.fail();
    throw error;
  }
}

async function answer(
  run: ToolRun,
  call: ToolCall,
  { request, host, signal, onProgress, trace }: Making & { trace: TraceContext | null },
): Promise<ToolResult> {
  if (!run.context.settings.SKILLS_ENABLED) return failed(TEXTS.disabled);
  if (call.malformed !== undefined)
    return failed(`Error: The arguments of '${call.name}' cannot be read: ${call.malformed}. Send valid JSON.`);
  const { name } = call;
  const { context, session, view, offered, forClient, logs = null } = run;
  const made = { callId: call.id, request, signal, host, onProgress, trace };
  const place = { context, session, view, offered, ...made, forClient, logs };
  const result = isBuiltin(name)
    ? await runBuiltin(place, name, call.arguments)
    : await callByOfferedName(place, name, call.arguments);
  return result ?? failed(`Error: Tool '${name}' not found. Call one of the listed tools.`);
}

function cancelled(signal: AbortSignal): Promise<ToolResult> {
  return new Promise((resolve) => {
    const end = () => resolve(failed("Error: The call was cancelled. Repeat it only if the user asks for it."));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
