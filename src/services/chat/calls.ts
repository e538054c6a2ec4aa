// Runs the tool calls of a model step in a conversation's Durable Object, in the vendor's format.

import { CHAT_LIMITS } from "../../domain/chat/limits";
import { protocolOf } from "../../domain/chat/protocols";
import { readUsage, type Usage } from "../../domain/conversation/usage";
import type { JsonObject } from "../../domain/json";
import { failed } from "../../domain/tool";
import { type Format, readCall, renderResults } from "../../domain/tools/formats";
import type { Context } from "../context";
import type { Listener, RunningCalls } from "../conversation/running";
import { runCalls } from "../conversation/step";
import type { Session } from "../session";

export interface CallsOfStep {
  calls: JsonObject[];
  format: Format;
  usage: JsonObject | null;
  /** Maximum length of the results, in UTF-16 units. */
  room: number;
}

/** The results as messages in the vendor's format, and the skills loaded now. */
export interface StepDone {
  messages: JsonObject[];
  loaded: string[];
}

/** Returns the ids of calls in the vendor's format. */
export const idsOf = (calls: readonly JsonObject[]): string[] =>
  calls.map((entry) => readCall(entry, "")?.id ?? "").filter((id) => id !== "");

/** Runs the calls and returns their results and the skills loaded now. */
export async function runStepCalls(
  context: Context,
  session: Session,
  running: RunningCalls,
  { calls: all, format, usage: told, room }: CallsOfStep,
  listener: Listener | null = null,
): Promise<StepDone> {
  const calls = all.slice(0, CHAT_LIMITS.callsPerStep);
  const ids = idsOf(calls);
  const usage = usageOf(told);
  const request = { calls, format, etag: null, usage, client: null };
  const reply = await afterEarlier(session, ids, () => runCalls(context, session, running, request, listener));
  const refused = (entries: readonly JsonObject[], why: (name: string) => string) =>
    entries.flatMap((entry) => {
      const call = readCall(entry, context.newId("call"));
      return call === null ? [] : [{ call, result: failed(why(call.name)) }];
    });
  const others = [
    ...refused(reply.unhandled, (name) => `Error: Tool '${name}' not found.`),
    ...refused(all.slice(CHAT_LIMITS.callsPerStep), () => TOO_MANY),
  ];
  const messages = asOne([...reply.messages, ...renderResults(others, format)], format);
  return { messages: fitting(messages, ids, format, room), loaded: reply.loaded_skills };
}

const working = new WeakMap<Session, Map<string, Promise<unknown>>>();

/** Waits for the same calls of an earlier attempt if they still run, so that nothing runs twice. */
async function afterEarlier<T>(session: Session, ids: readonly string[], run: () => Promise<T>): Promise<T> {
  const known = working.get(session) ?? new Map<string, Promise<unknown>>();
  working.set(session, known);
  const earlier = ids.map((id) => known.get(id));
  const work = Promise.all(earlier).then(run);
  const ended = work.catch(() => undefined);
  for (const id of ids) known.set(id, ended);
  try {
    return await work;
  } finally {
    for (const id of ids) if (known.get(id) === ended) known.delete(id);
  }
}

const TOO_MANY = `Error: Too many calls in one step (limit ${CHAT_LIMITS.callsPerStep}). Call this tool again.`;
const NO_ROOM =
  "Error: The tool has run, but its result does not fit into this answer. Ask for a smaller result in the next message.";

/** Replaces results that exceed the limit with a note. */
function fitting(messages: JsonObject[], ids: readonly string[], format: Format, most: number): JsonObject[] {
  const protocol = protocolOf(format);
  let room = most;
  return messages.map((message) => {
    const size = JSON.stringify(message).length;
    if (size <= room) {
      room -= size;
      return message;
    }
    return ids.reduce((so, id) => protocol.withResult(so, id, NO_ROOM) ?? so, message);
  });
}

/** Anthropic expects all results of a step in one message. */
export function asOne(messages: JsonObject[], format: Format): JsonObject[] {
  const [first, ...others] = messages;
  if (format !== "anthropic" || first === undefined || others.length === 0) return messages;
  return [{ ...first, content: messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])) }];
}

function usageOf(value: JsonObject | null): Usage | null {
  const read = value === null ? null : readUsage(value);
  return read !== null && "usage" in read ? read.usage : null;
}
