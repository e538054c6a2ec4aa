// Running tools: the one place where a call becomes a result. What goes wrong inside a tool is a result with `isError`; only
// storage that does not answer is thrown, since then the whole step should be tried again.

import type * as z from "zod";
import type { View } from "../../domain/catalog/view";
import { TEXTS } from "../../domain/conversation/prompt";
import { sha256Hex } from "../../domain/digest";
import { failed, type ToolCall, type ToolResult, toolResultSchema } from "../../domain/tool";
import { BUILTIN_ARGUMENTS, isBuiltin } from "../../domain/tools/builtin";
import type { Context } from "../context";
import { exclusively, type Session } from "../session";
import { type CallPlace, callProvided, executeScript } from "../tools/call";
import { knownTool } from "../tools/memory";
import { loadSkill, unloadSkill } from "./load";
import { runFindSkill, runReadSkill } from "./read";
import type { RunningCalls } from "./running";

export interface ToolRun {
  context: Context;
  session: Session;
  view: View;
  running: RunningCalls;
  /** Whether the answers go to an MCP host, which takes no prompt. */
  toHost: boolean;
}

/** Whether a call is the gateway's to answer. A back end's own tools may be called anything else. */
export function isOurs(session: Session, name: string): boolean {
  if (!isBuiltin(name)) return knownTool(session, name) !== null;
  if (name === "skill") return session.state.policy?.tool_style === "skill";
  if (name === "call_skill_tool") return session.state.policy?.tool_mode === "fixed";
  return true;
}

/** Loading and unloading run first and in order; they change what everything else in the step sees. */
export function isOrdered(call: ToolCall): boolean {
  return call.name === "load_skill" || call.name === "skill" || call.name === "unload_skill";
}

/** Calls that only look: repeating one is harmless. */
function isReading(call: ToolCall): boolean {
  return call.name === "read_skill" || call.name === "find_skill";
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
  try {
    const result = await Promise.race([answer(run, call, anyway, onProgress), cancelled(anyway)]);
    // Reading changes nothing, so reading again is as good as a stored result, which may be long.
    if (!isReading(call)) session.store.keepCallResult(call.id, turn, request, JSON.stringify(result));
    return result;
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
  const { context, session, view } = run;
  if (!context.settings.SKILLS_ENABLED) return failed(TEXTS.disabled);
  if (call.malformed !== undefined)
    return failed(`Error: The arguments of '${call.name}' cannot be read: ${call.malformed}.`);
  const { name } = call;
  const place = { context, session, view, callId: call.id, signal, onProgress };
  if (!isBuiltin(name))
    return (await callProvided(place, name, call.arguments)) ?? failed(`Error: There is no tool '${name}'.`);
  switch (name) {
    case "load_skill":
      return withArguments(call, BUILTIN_ARGUMENTS.load_skill, ({ skill_name, reload }) =>
        exclusively(session, () =>
          loadSkill(context, session, view, skill_name, { toHost: run.toHost, again: reload === true }),
        ),
      );
    case "skill":
      return withArguments(call, BUILTIN_ARGUMENTS.skill, ({ skill }) =>
        exclusively(session, () => loadSkill(context, session, view, skill, { toHost: run.toHost, again: false })),
      );
    case "unload_skill":
      return withArguments(call, BUILTIN_ARGUMENTS.unload_skill, ({ skill_name }) =>
        exclusively(session, async () => unloadSkill(context, session, skill_name)),
      );
    case "read_skill":
      return withArguments(call, BUILTIN_ARGUMENTS.read_skill, ({ skill_name, file_path, offset, limit }) =>
        runReadSkill(context, session, view, skill_name, file_path ?? null, { offset, limit }),
      );
    case "find_skill":
      return withArguments(call, BUILTIN_ARGUMENTS.find_skill, ({ query }) => runFindSkill(context, view, query));
    case "call_skill_tool":
      return withArguments(call, BUILTIN_ARGUMENTS.call_skill_tool, async ({ name: tool, arguments: args }) => {
        const result = await callProvided(place, tool, args);
        return result ?? failed(`Error: No loaded skill has a tool '${tool}'.`);
      });
    case "execute_skill_script":
      return withArguments(call, BUILTIN_ARGUMENTS.execute_skill_script, ({ args, input, ...asked }) =>
        executeScript(place, { ...asked, args: args ?? [], input: input ?? "" }),
      );
  }
}

async function withArguments<T>(
  call: ToolCall,
  schema: z.ZodType<T>,
  run: (args: T) => Promise<ToolResult>,
): Promise<ToolResult> {
  const parsed = schema.safeParse(call.arguments);
  if (parsed.success) return run(parsed.data);
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
  return failed(`Error: The arguments of '${call.name}' are not valid: ${problems}`);
}

function cancelled(signal: AbortSignal): Promise<ToolResult> {
  return new Promise((resolve) => {
    const end = () => resolve(failed("Error: The call was cancelled."));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
