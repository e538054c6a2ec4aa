// Counts the tokens of a request: the vendor counts it with everything the gateway would add.

import type { JsonObject } from "../../domain/json";
import { unwrap } from "../conversation/api";
import type { ChatContext } from "./answer";
import { type ChatOffered, chatReply } from "./api";
import { demoCall, isDemo } from "./demo";
import { layoutOf, withFreeName, withHidden } from "./hidden";
import { chatSettings } from "./request";
import { modelCall } from "./upstream";

type CountPlace = Pick<ChatContext, "context" | "protocol" | "asked" | "signal" | "ghost" | "open" | "later">;

/** Returns the vendor's count. Starts no turn and stores nothing. */
export async function countChat(place: CountPlace): Promise<Response> {
  const { context, protocol, asked, signal } = place;
  const { model, headers, body } = asked;
  const { counting } = protocol;
  if (counting === undefined) throw new Error(`${protocol.api} counts nothing`);
  const call = isDemo(model)
    ? demoCall(context, protocol, true)
    : await modelCall(context, protocol, model, counting.path, headers);
  const counted = asked.plain === null ? await withOurs(place) : { ...body, model: model.entry.model };
  const answer = await call.send(counting.body(counted), signal);
  const type = answer.headers.get("content-type");
  return new Response(answer.body, { status: answer.status, headers: type === null ? {} : { "content-type": type } });
}

async function withOurs(place: CountPlace): Promise<JsonObject> {
  const { protocol, asked } = place;
  const { body, model } = asked;
  const shown = protocol.messages(body) ?? [];
  const { system, tools, puts } = await offeredTo(place, shown);
  if (system === "" && tools.length === 0 && puts.length === 0) return { ...body, model: model.entry.model };
  const theirs = new Set(protocol.toolNames(body));
  return protocol.stepBody(body, {
    ...{ model: model.entry.model, system, tools: tools.map((tool) => withFreeName(tool, theirs)) },
    messages: withHidden(protocol, shown, { puts, dropThoughts: false }),
    ...{ isLast: false, spent: 0, cacheKey: null },
    singleSystem: model.entry.single_system === true,
  });
}

/** Returns what the model would receive. A new chat is created temporarily under another id. */
async function offeredTo(place: CountPlace, shown: readonly JsonObject[]): Promise<ChatOffered> {
  const { context, protocol, asked, open, later } = place;
  const { name: model, entry } = asked.model;
  const layout = await layoutOf(protocol, shown);
  const { format } = protocol;
  if (!asked.isNew) {
    const { api, target } = open(asked.conversation);
    const reply = await api.chat(target, { do: "look", format, model, layout }, null);
    if (reply.ok || reply.error.reason !== "CONVERSATION_NOT_FOUND") return chatReply(unwrap(reply), "look").value;
  }
  const { api, target } = open(context.newId("count"));
  const nothing = { request: "", isRetry: false, shownLast: null, message: null };
  const begin = { do: "begin", format, model, vendorModel: entry.model, layout, ...nothing } as const;
  try {
    return chatReply(unwrap(await api.chat(target, begin, chatSettings(asked.ghost ?? place.ghost))), "begin").value;
  } finally {
    later(api.erase(target).then(unwrap));
  }
}
