// Handles the vendors' routes: parses the request, runs the use case, and converts errors to the vendor's format.

import type { Context as HonoContext } from "hono";
import { anthropicMessages } from "../domain/chat/anthropic/messages";
import { CHAT_LIMITS } from "../domain/chat/limits";
import { openaiChat } from "../domain/chat/openai/chat";
import { openaiResponses } from "../domain/chat/openai/responses";
import type { Protocol } from "../domain/chat/protocol";
import { anthropicError, ChatRefusal, chatRefusalOf, openaiError } from "../domain/chat/refusal";
import { isDeeper, isJsonObject, type JsonObject, parseExactly } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import { readBytes } from "../edge/body";
import { chatSlotsOf, conversation } from "../edge/conversation";
import type { HttpEnv } from "../edge/edge";
import { logUnexpected } from "../edge/unexpected";
import { answerChatRequest } from "../services/chat/answer";
import { listCallable } from "../services/chat/callable";
import { countChat } from "../services/chat/count";
import { readChat } from "../services/chat/request";
import { takeSlot } from "../services/chat/slots";

/** The served paths. Others below the prefixes are not found. */
const CHATS: Readonly<Record<string, Protocol>> = {
  "/openai/v1/chat/completions": openaiChat,
  "/openai/v1/responses": openaiResponses,
  "/anthropic/v1/messages": anthropicMessages,
};

export async function answerVendor(c: HonoContext<HttpEnv>): Promise<Response> {
  try {
    return await answerRoute(c);
  } catch (error) {
    // Not a refusal of the gateway, which may be retried on the primary: a started chat must not start again.
    throw chatRefusalOf(error) ?? error;
  }
}

async function answerRoute(c: HonoContext<HttpEnv>): Promise<Response> {
  const path = c.req.path.replace(/\/+$/, "");
  const protocol = CHATS[path];
  if (protocol !== undefined && c.req.method === "POST") return answerChat(c, protocol);
  const counted = path.endsWith("/count_tokens") ? CHATS[path.slice(0, -"/count_tokens".length)] : undefined;
  if (counted?.counting !== undefined && c.req.method === "POST") return answerCount(c, counted);
  const models = /^\/(openai|anthropic)\/v1\/models(?:\/(.+))?$/.exec(path);
  if (models !== null && (c.req.method === "GET" || c.req.method === "HEAD"))
    return answerModels(c, models[1] === "openai" ? "openai" : "anthropic", models[2]);
  if (path === "/openai/v1/responses" || path.startsWith("/openai/v1/responses/"))
    throw new ChatRefusal(
      404,
      "not_found",
      "Responses are not stored. Use `POST /openai/v1/responses` and read its answer or stream.",
    );
  throw new ChatRefusal(
    404,
    "not_found",
    `Endpoint not found: ${c.req.method} ${path}. Check the base URL and the path.`,
  );
}

async function answerCount(c: HonoContext<HttpEnv>, protocol: Protocol): Promise<Response> {
  const { raw } = c.req;
  const context = c.get("context");
  const asked = await readChat(context, protocol, { ...(await readJson(raw)), headers: raw.headers });
  return countChat({
    ...{ context, protocol, asked, signal: raw.signal, ghost: raw.headers.get("x-skill-ghost") },
    open: (id) => conversation(c, id),
    later: (work) => c.executionCtx.waitUntil(work),
  });
}

async function answerChat(c: HonoContext<HttpEnv>, protocol: Protocol): Promise<Response> {
  const { raw } = c.req;
  const context = c.get("context");
  const { body, text } = await readJson(raw);
  const later = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  const [read, held] = await Promise.allSettled([
    readChat(context, protocol, { body, text, headers: raw.headers }),
    takeSlot(context, chatSlotsOf(c), later),
  ]);
  if (held.status === "rejected") throw held.reason;
  const release = held.value;
  if (read.status === "rejected") {
    release();
    throw read.reason;
  }
  return answerChatRequest({
    ...{ context, protocol, asked: read.value, signal: raw.signal, release },
    ghost: raw.headers.get("x-skill-ghost"),
    isRetry: Number(raw.headers.get("x-stainless-retry-count") ?? 0) > 0,
    hearsSkills: raw.headers.get("x-skill-events") === "1",
    open: (id) => conversation(c, id),
    later,
    tell: (error) => chatError(error, c),
  });
}

async function readJson(request: Request): Promise<{ body: JsonObject; text: string }> {
  const bytes = await readBytes(request, CHAT_LIMITS.bodyBytes);
  if (bytes === null)
    throw new ChatRefusal(
      413,
      "request_too_large",
      "Request too large (limit 32 MiB). Send fewer or shorter messages.",
    );
  const text = new TextDecoder().decode(bytes);
  if (isDeeper(text, REQUEST_LIMITS.jsonDepth))
    throw new ChatRefusal(
      400,
      "invalid_request",
      `JSON nested too deeply (limit ${REQUEST_LIMITS.jsonDepth} levels). Send flatter JSON.`,
    );
  try {
    const body = parseExactly(text);
    if (isJsonObject(body)) return { body, text };
  } catch {
    // Reported below, as for every body that is not an object.
  }
  throw new ChatRefusal(400, "invalid_request", "The body is not a JSON object. Send one.");
}

async function answerModels(c: HonoContext<HttpEnv>, vendor: "openai" | "anthropic", one?: string): Promise<Response> {
  const isMeant = (api: string) => (vendor === "anthropic") === (api === "anthropic");
  const found = (await listCallable(c.get("context"))).filter(({ entry }) => entry.api.some(isMeant));
  const shown = found.flatMap(({ names, createdAt }) =>
    names.map((id) =>
      vendor === "openai"
        ? { id, object: "model", created: Math.floor(createdAt / 1_000), owned_by: "skill-gateway" }
        : { type: "model", id, display_name: id, created_at: new Date(createdAt).toISOString() },
    ),
  );
  if (one === undefined) {
    if (vendor === "openai") return c.json({ object: "list", data: shown });
    return c.json({ data: shown, has_more: false, first_id: shown[0]?.id ?? null, last_id: shown.at(-1)?.id ?? null });
  }
  const model = shown.find(({ id }) => id === decoded(one));
  if (model !== undefined) return c.json(model);
  // A new group membership may not be known here yet.
  if ((await c.get("context").makeCertain?.()) === true) return answerModels(c, vendor, one);
  throw new ChatRefusal(404, "model_not_found", "Model not found. `GET /models` lists the models that you can use.");
}

/** Decodes a segment of a path. A segment with invalid encoding is no model's name and stays unchanged. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Converts every error below the prefixes into the vendor's format. */
export function answerVendorError(error: unknown, c: HonoContext<HttpEnv>): Response {
  const refusal = chatError(error, c);
  const isAnthropic = c.req.path.startsWith("/anthropic");
  const requestId = c.get("requestId");
  if (refusal.status === 401) {
    c.set("unauthenticated", c.req.header("authorization") !== undefined || c.req.header("x-api-key") !== undefined);
  }
  c.set("problem", refusal.code);
  const headers = { ...refusal.headers, [isAnthropic ? "request-id" : "x-request-id"]: requestId };
  const body = isAnthropic ? anthropicError(refusal, requestId) : openaiError(refusal);
  return Response.json(body, { status: refusal.status, headers });
}

function chatError(error: unknown, c: HonoContext<HttpEnv>): ChatRefusal {
  const refusal = chatRefusalOf(error);
  if (refusal !== null) return refusal;
  logUnexpected(error, { route: `${c.req.method} ${c.req.routePath}` }, c.get("requestId"));
  return new ChatRefusal(500, "internal", "Internal error. Report the request id to the operator of the gateway.");
}
