// What a request shows, and what is put in its place.

import type { Protocol } from "../../domain/chat/protocol";
import { sha256Hex } from "../../domain/digest";
import { isJsonObject, type JsonObject } from "../../domain/json";
import type { ChatBegun, HistoryMessage } from "./api";
import { RENAMED } from "./branch";

/** Digests of what a request shows, and of what it asks. */
export async function layoutOf(protocol: Protocol, messages: readonly JsonObject[]): Promise<HistoryMessage[]> {
  return Promise.all(
    messages.map(async (message) => {
      const entry = protocol.entry(message);
      const digest = entry.role === "assistant" ? await sha256Hex(JSON.stringify(entry.said)) : "";
      return { role: entry.role, digest, isSummary: protocol.isSummary(message) };
    }),
  );
}

/** The caller's messages, each of our answers with all that it was made of. */
export function withHidden(
  protocol: Protocol,
  shown: readonly JsonObject[],
  { puts, dropThoughts }: Pick<ChatBegun, "puts" | "dropThoughts">,
): JsonObject[] {
  const hidden = new Map(puts.map((put) => [put.at, put]));
  let rest: JsonObject[] = [];
  for (let at = shown.length - 1; at >= 0; at--) {
    const message = shown[at];
    const put = hidden.get(at);
    if (message === undefined) continue;
    if (put === undefined) rest = [dropThoughts ? protocol.withoutThoughts(message) : message, ...rest];
    else {
      const messages = put.other ? put.messages.map((one) => protocol.withoutThoughts(one)) : put.messages;
      rest = protocol.join(messages, rest);
    }
  }
  return rest;
}

/** The caller's tool of a name wins: ours is called something else. */
export function withFreeName(tool: JsonObject, theirs: ReadonlySet<string>): JsonObject {
  const rename = (named: JsonObject): JsonObject =>
    typeof named.name === "string" && theirs.has(named.name) ? { ...named, name: RENAMED + named.name } : named;
  return isJsonObject(tool.function) ? { ...tool, function: rename(tool.function) } : rename(tool);
}

export function withGatewayName(call: JsonObject): JsonObject {
  const named = (one: JsonObject): JsonObject =>
    typeof one.name === "string" && one.name.startsWith(RENAMED)
      ? { ...one, name: one.name.slice(RENAMED.length) }
      : one;
  return isJsonObject(call.function) ? { ...call, function: named(call.function) } : named(call);
}
