// Computes digests of a request's messages, and inserts the hidden messages.

import type { Protocol } from "../../domain/chat/protocol";
import { sha256Hex } from "../../domain/digest";
import { isJsonObject, type JsonObject } from "../../domain/json";
import type { ChatBegun, HistoryMessage } from "./api";
import { RENAMED } from "./branch";

/** Returns digests of the messages that a request shows. */
export async function layoutOf(protocol: Protocol, messages: readonly JsonObject[]): Promise<HistoryMessage[]> {
  return Promise.all(
    messages.map(async (message) => {
      const entry = protocol.entry(message);
      const digest = entry.role === "assistant" ? await sha256Hex(JSON.stringify(entry.said)) : "";
      return { role: entry.role, digest, isSummary: protocol.isSummary(message) };
    }),
  );
}

/** Returns the caller's messages with each answer of the gateway expanded to all its steps. */
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

/** Renames a gateway tool if the caller has a tool with the same name. */
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
