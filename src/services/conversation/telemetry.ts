// Spans of a conversation: turns and tool calls. They contain names and numbers, and no text of users, models or tools.

import * as z from "zod";
import { activeSkills } from "../../domain/conversation/activation";
import type { Attributes } from "../../domain/telemetry/span";
import type { TraceContext } from "../../domain/telemetry/trace-context";
import type { OpenSpan } from "../../domain/telemetry/tracing";
import type { ToolCall, ToolResult } from "../../domain/tool";
import { isBuiltin } from "../../domain/tools/builtin";
import type { Context } from "../context";
import type { Session } from "../session";
import { errorTypeOf } from "../telemetry/tracing";
import { storedTool } from "../tools/memory";

const turnTraceSchema = z.object({
  turn: z.int(),
  trace: z.object({ traceId: z.string(), spanId: z.string(), sampled: z.boolean(), state: z.string() }),
});

/** Attributes that all spans of a conversation have. Langfuse reads `session.id`, the conventions define the other one. */
function attributesOf({ id }: Session): Attributes {
  return { "gen_ai.conversation.id": id, "session.id": id };
}

/** Attributes of the conversation's agent (ghost). */
function agentIn({ view }: Session): Attributes {
  return { "gen_ai.agent.name": view?.ghost ?? undefined, "gen_ai.agent.id": view?.ghost_id ?? undefined };
}

/** Runs the preparation of a turn in a span. Tool calls of the turn whose requests have no trace are its children. */
export async function inTurnSpan<T>(context: Context, session: Session, prepare: () => Promise<T>): Promise<T> {
  const { tracing } = context;
  const start = context.now();
  const before = session.state.turn;
  const span = tracing.begin({
    name: "invoke_agent",
    kind: "internal",
    user: session.userId,
    attributes: { "gen_ai.operation.name": "invoke_agent", ...attributesOf(session) },
    start,
  });
  const end = (error: string | null) => {
    const agent = agentIn(session);
    const named = agent["gen_ai.agent.name"];
    const name = named === undefined ? "invoke_agent" : `invoke_agent ${named}`;
    const attributes = { ...agent, "skill_gateway.turn": session.state.turn };
    span.end({ at: context.now(), error, attributes, name });
  };
  try {
    const result = await prepare();
    if (tracing.isOn && span.context !== null && session.state.turn !== before)
      rememberTurnTrace(session, session.state.turn, span.context);
    end(null);
    return result;
  } catch (error) {
    end(errorTypeOf(error));
    throw error;
  }
}

/** Stored, because the object can be evicted while the model answers. */
function rememberTurnTrace(session: Session, turn: number, trace: TraceContext): void {
  session.memory.trace = { turn, trace };
  session.store.set("trace", { turn, trace });
}

function traceOfTurn({ memory, store, state }: Session): TraceContext | null {
  memory.trace ??= store.get("trace", turnTraceSchema) ?? { turn: -1, trace: null };
  return memory.trace.turn === state.turn ? memory.trace.trace : null;
}

/** Starts the span of a tool call. Without a trace of its request or its turn, it begins a trace. */
export function beginToolSpan(context: Context, session: Session, call: ToolCall, start: number): OpenSpan {
  const { tracing } = context;
  const parent = tracing.parent ?? (tracing.isOn ? traceOfTurn(session) : null);
  const tool = nameOfTool(session, call);
  return tracing.begin({
    name: `execute_tool ${tool}`,
    kind: "internal",
    parent,
    user: session.userId,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.call.id": call.id,
      "gen_ai.tool.type": "function",
      ...attributesOf(session),
      "skill_gateway.turn": session.state.turn,
    },
    start,
  });
}

/** Ends the span of a tool call. `result` is `null` if storage did not respond. */
export function endToolSpan(
  { context, session, span }: { context: Context; session: Session; span: OpenSpan },
  call: ToolCall,
  end: { at: number; result: ToolResult | null; isCancelled: boolean },
): void {
  if (!context.tracing.isOn) return;
  const { at, result, isCancelled } = end;
  const error = isCancelled ? "cancelled" : result === null ? "storage" : result.isError === true ? "tool_error" : null;
  const tool = nameOfTool(session, call);
  const skill = skillOf(session, call);
  // A version's address contains no secret, and needs a key.
  const uri = skill === undefined || context.origin === undefined ? undefined : versionUri(context.origin, skill);
  const loads = tool === "load_skill" && skill !== undefined;
  span.end({
    at,
    error,
    name: loads ? `execute_tool ${tool} ${skill.name}` : `execute_tool ${tool}`,
    attributes: {
      "gen_ai.skill.name": skill?.name,
      "gen_ai.skill.version": skill?.version ?? undefined,
      "gen_ai.skill.source.uri": uri,
    },
  });
}

function versionUri(origin: string, { skill_id, version_id }: { skill_id: string; version_id: string }): string {
  return `${origin}/api/v1/kinds/skills/${skill_id}/versions/${version_id}/files/SKILL.md`;
}

/** Returns the active skill that a call concerns. A model can write any text as a name, so other names are left out. */
function skillOf(session: Session, call: ToolCall) {
  const { arguments: args } = call;
  const name = isBuiltin(call.name) && call.name !== "call_skill_tool" ? (args.skill_name ?? args.skill) : null;
  const owner = name ?? storedTool(session, calledTool(call))?.skill;
  return activeSkills(session.state).find(({ skill }) => skill.name === owner)?.skill;
}

/** The tool that a call names: for a call through `call_skill_tool`, the name in its arguments. */
function calledTool({ name, arguments: args }: ToolCall): string {
  return name === "call_skill_tool" && typeof args.name === "string" ? args.name : name;
}

/** Returns the name of a known tool. Unknown names in arguments are text of the model. */
function nameOfTool(session: Session, call: ToolCall): string {
  const name = calledTool(call);
  return isBuiltin(name) || storedTool(session, name) !== null ? name : call.name;
}
