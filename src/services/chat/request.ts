// Parses a request of the chat endpoint: its model, its permissions, and its conversation.

import { canActAs, GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import { dayOf } from "../../domain/access/quota";
import { allowedBetas, requireAllowed, withEndUser, withOutputBound } from "../../domain/chat/allowance";
import { DEMO_SCOPE } from "../../domain/chat/demo";
import { CHAT_LIMITS } from "../../domain/chat/limits";
import { billedAs } from "../../domain/chat/list-prices";
import { type ModelAllowance, mayCall, modelAsked, modelEntrySchema, nameOfGhost } from "../../domain/chat/model-entry";
import type { Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import { CONVERSATION_ID, type ConversationSettings } from "../../domain/conversation/settings";
import { spentTokens } from "../../domain/conversation/usage";
import { sha256Hex } from "../../domain/digest";
import { isJsonObject, type JsonObject } from "../../domain/json";
import { findModels, settleChat } from "../../storage/d1/chat/models";
import type { Use } from "../../storage/d1/usage";
import { readGhost } from "../../storage/d1/views";
import type { Context } from "../context";
import { chainOf } from "./branch";
import { demoModel } from "./demo";
import { layoutOf } from "./hidden";
import { modelScopes } from "./models";
import { type FoundModel, type ModelTally, nameOfModel, noTally } from "./upstream";

/** A parsed and permitted request. */
export interface ParsedChatRequest {
  body: JsonObject;
  model: FoundModel;
  /** The ghost requested through the model name. */
  ghost: string | null;
  /** The reason for which no skills are added, in one word; `null`: they are. */
  plain: string | null;
  /** The conversation's id, and how it was found. */
  conversation: string;
  /** `named`: by the caller. `found`: by its content. `once`: nothing of it is stored. */
  known: "named" | "found" | "once";
  /** The conversation does not exist yet. */
  isNew: boolean;
  /** The caller expects to reference parts of the answer by id. */
  isKept: boolean;
  /** Digest of all answers in the request, if the conversation is found by it; otherwise empty. */
  tail: string;
  /** Headers that are passed to the vendor. */
  headers: Record<string, string>;
}

/** Parses a JSON request and rejects what is not permitted. */
export async function readChat(
  context: Context,
  protocol: Protocol,
  { body: asked, text, headers }: { body: JsonObject; text: string; headers: Headers },
): Promise<ParsedChatRequest> {
  const body = protocol.items?.stateless(asked) ?? asked;
  const named = modelAsked(typeof body.model === "string" ? body.model : "");
  const messages = messagesOf(protocol, body);
  if (messages === null)
    throw new ChatRefusal(400, "invalid_request", "`messages` is missing or empty. Send at least one message.");
  if (messages.length > CHAT_LIMITS.messages)
    throw new ChatRefusal(
      413,
      "request_too_large",
      `Too many messages (limit ${CHAT_LIMITS.messages}). Send fewer messages.`,
    );
  const given = namedIn(context, protocol, body, headers);
  // A conversation named by the caller is not searched by content.
  const { tail, before } = given === null ? await tailsOf(protocol, messages) : NOTHING_SAID;
  const isFirst = tail === "";
  const last = protocol.items?.last(body) ?? null;
  // Items with ids are found by id, however a front end formats their text. The last answer may have been stopped; then the chat is found
  // by the earlier ones.
  const item = given !== null || last === null ? "" : await tailOfItem(last);
  const tails = [item, tail, before].filter((one) => one !== "");
  const name = named.name ?? (await modelOfGhost(context, named.ghost ?? ""));
  const near = await findModel(context, name, tails);
  const { model } = near;
  const allow = model.entry.allow ?? {};
  if (!model.entry.api.includes(protocol.api)) throw wrongEndpoint(name, model);
  requireAllowed(body, text, allow);
  const isOff = named.plain || headers.get("x-skills") === "off" || headers.has("x-openwebui-task");
  const isOnce = given === null && canActAs(context.caller.principal);
  const isLost = !isFirst && given === null && near.conversation === null && !isOnce;
  // A replica may not have the end of the chat from a moment ago.
  const sure = isLost && (await context.makeCertain?.()) === true ? await findModel(context, name, tails) : near;
  const found = given ?? (isOnce || isFirst ? null : sure.conversation);
  return {
    body: withEndUser(
      withOutputBound(body, protocol.outputField, allow),
      (await sha256Hex(`chat ${context.caller.principal.userId}`)).slice(0, 32),
    ),
    model,
    ghost: named.ghost,
    plain: isOff ? "off" : protocol.bypass(body),
    conversation: found ?? context.newId("chat"),
    isNew: found === null,
    isKept: !isOnce && protocol.items?.isKept(asked) === true,
    known: given !== null ? "named" : isOnce ? "once" : "found",
    tail,
    headers: forwarded(headers, allow),
  };
}

/** Returns the messages of a request; `null` if one is not an object. Dropping it would change what the model answers. */
function messagesOf(protocol: Protocol, body: JsonObject): JsonObject[] | null {
  const list = body[protocol.field];
  const at = Array.isArray(list) ? list.findIndex((one) => !isJsonObject(one)) : -1;
  if (!Array.isArray(list) || at === -1) return protocol.messages(body);
  const param = `${protocol.field}[${at}]`;
  const why = `Invalid type for '${param}': expected an object, but got ${typeNamed(list[at])} instead.`;
  throw new ChatRefusal(400, "invalid_type", why, { param });
}

function typeNamed(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** Returns the name of the model that a ghost specifies. */
async function modelOfGhost(context: Context, ghost: string): Promise<string> {
  const found = await readGhost(context.db, visibleScopes(context.caller.principal), ghost);
  if (found === null && (await context.makeCertain?.()) === true) return modelOfGhost(context, ghost);
  if (found === null) throw noModel(nameOfGhost(ghost));
  if (found.spec.model !== undefined) return found.spec.model;
  const message = `The agent (ghost) '${found.name}' has no model. Use '${nameOfGhost(found.name)}:<model>', or set \`model\` in its spec.`;
  throw new ChatRefusal(404, "model_not_found", message, { param: "model" });
}

const NOTHING_SAID = { tail: "", before: "" };

/** Returns the digests of all answers among the messages, and of all but the last; empty if there are none. */
export async function tailsOf(protocol: Protocol, messages: readonly JsonObject[]) {
  let tail = "";
  let before = "";
  for (const { role, digest } of await layoutOf(protocol, messages))
    if (role === "assistant") {
      before = tail;
      tail = await chainOf(tail, digest);
    }
  return { tail, before };
}

/** Identifies a chat whose last answer ends with this item. */
export const tailOfItem = (id: string) => sha256Hex(`item\n${id}`);

/** Returns the model that a name refers to for the caller. */
async function findModel(
  context: Context,
  name: string,
  tails: readonly string[],
): Promise<{ model: FoundModel; conversation: string | null }> {
  const scopes = modelScopes(context);
  const { rows, used, conversation } = await findModels(context.db, scopes, name, tokensToday(context), tails);
  if (used >= context.settings.CHAT_TOKENS_DAY) {
    const wait = Math.ceil((dayOf(context.now()) + 24 * 60 * 60_000 - context.now()) / 1_000);
    const headers = { "retry-after": String(wait), "x-should-retry": "false" };
    throw new ChatRefusal(429, "daily_tokens", "The daily token limit is reached. Try again tomorrow (UTC).", {
      headers,
    });
  }
  rows.sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  const [row] = rows;
  // A negative answer must not be outdated.
  if (row === undefined && demoModel(context, name) === null && (await context.makeCertain?.()) === true)
    return findModel(context, name, tails);
  const model = row === undefined ? demoModel(context, name) : { ...row, entry: modelEntrySchema.parse(row.entry) };
  if (model === null || !mayCall(model.entry.allow ?? {}, context.caller.principal)) throw noModel(name);
  return { model, conversation };
}

/** Records the usage of a request, the calls of its model, and the digest that finds its chat from now on. */
export async function settle(
  context: Context,
  { known, conversation, model }: Pick<ParsedChatRequest, "known" | "conversation" | "model">,
  tokens: number,
  tails: readonly string[],
  tally: ModelTally,
): Promise<void> {
  context.count("model_tokens", [nameOfModel(model)], tokens);
  const found = known === "found" && tails.length > 0 ? { digests: tails, conversation } : null;
  const { calls, failures, usage } = tally;
  Object.assign(tally, noTally());
  const use = tokensToday(context);
  const { scope, name } = model;
  const amount = Math.max(0, Math.round(tokens));
  const called = {
    ...{ day: use.windowStart, scope, name, calls, failures, tokens: amount, usage },
    billedAs: spentTokens(usage) === 0 ? null : billedAs(model.entry),
  };
  await settleChat(context.db, use, amount, found, scope === DEMO_SCOPE ? { ...called, scope: GATEWAY_SCOPE } : called);
}

const tokensToday = (context: Context): Use => ({
  subject: context.caller.principal.userId,
  kind: "chat_tokens",
  windowStart: dayOf(context.now()),
});

function namedIn(context: Context, protocol: Protocol, body: JsonObject, headers: Headers): string | null {
  const said = [
    ...context.settings.CHAT_CONVERSATION_HEADERS.map((name) => headers.get(name)),
    protocol.conversationIn(body),
  ];
  // Placeholders that a front end did not replace, such as `{{…}}`, are not ids.
  const ids = said.flatMap((id) => (typeof id === "string" && CONVERSATION_ID.test(id) && id !== "new" ? id : []));
  return ids[0] ?? null;
}

function forwarded(headers: Headers, allow: ModelAllowance): Record<string, string> {
  const next: Record<string, string> = {};
  const version = headers.get("anthropic-version");
  if (version !== null) next["anthropic-version"] = version;
  for (const name of ["anthropic-beta", "openai-beta"]) {
    const betas = allowedBetas(headers.get(name) ?? "", allow);
    if (betas !== "") next[name] = betas;
  }
  return next;
}

function noModel(name: string): ChatRefusal {
  const message = `Model '${name.slice(0, 80)}' not found or not allowed. The list of models contains those that you can use.`;
  return new ChatRefusal(404, "model_not_found", message, { param: "model" });
}

function wrongEndpoint(name: string, { entry }: FoundModel): ChatRefusal {
  const endpoints = entry.api.map((api) => DOORS[api]).join(" and ");
  return new ChatRefusal(
    404,
    "model_not_found",
    `The model '${name}' is not available at this endpoint. Use ${endpoints}.`,
    { param: "model" },
  );
}

const DOORS = {
  "openai-chat": "/openai/v1/chat/completions",
  "openai-responses": "/openai/v1/responses",
  anthropic: "/anthropic/v1/messages",
} as const;

/** The settings of a conversation of the chat endpoint. Sent content never changes, so that the provider's cache applies. */
export const chatSettings = (ghost: string | null): ConversationSettings => ({
  delivery: "auto",
  ...(ghost === null ? {} : { ghost }),
});
