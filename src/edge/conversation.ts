// Finds the conversation object for a request.

import type { Context as HonoContext } from "hono";
import type { ConversationSettings } from "../domain/conversation/settings";
import { sha256Hex } from "../domain/digest";
import { GatewayError } from "../domain/errors";
import { PACE, REQUEST_LIMITS } from "../domain/limits";
import { settingsFrom } from "../domain/settings/settings";
import type { ChatObject } from "../services/chat/api";
import type { ChatSlots } from "../services/chat/slots";
import type { Caller, Context } from "../services/context";
import { type ConversationApi, type Reply, type Target, unwrap } from "../services/conversation/api";
import type { Idempotency } from "../services/idempotency";
import { LISTEN_HEADER } from "../services/questions/admission";
import type { HttpEnv } from "./edge";
import { noteLimit } from "./rate";

/** Returns the Durable Object of the caller's conversation. The user is part of the name, so nobody can address another user's. */
export function conversation(
  c: HonoContext<HttpEnv>,
  id: string,
  settings?: ConversationSettings,
): { api: ConversationApi & ChatObject; target: Target } {
  noteLimit(c, "conversation", PACE);
  const context = c.get("context");
  const { userId } = context.caller.principal;
  c.set("conversation", { conversation: id, userId });
  // The caller may be read again, after a refusal, while this is in use.
  return { api: objectOf(c.env, userId, id, settings), target: targetFor(context, id) };
}

function targetFor(context: Pick<Context, "caller" | "origin" | "tracing">, id: string): Target {
  return {
    id,
    origin: context.origin,
    get trace() {
      return context.tracing.parent;
    },
    get caller() {
      return context.caller;
    },
  };
}

/** Returns the object for a given caller. The route has checked access. */
export function conversationOf(
  env: Env,
  caller: Caller,
  id: string,
): { api: ConversationApi & ChatObject; target: Target } {
  return { api: objectOf(env, caller.principal.userId, id), target: { caller, id } };
}

function objectOf(
  env: Env,
  userId: string,
  id: string,
  settings: ConversationSettings = {},
): ConversationApi & ChatObject {
  const stub: unknown = env.CONVERSATIONS.getByName(conversationName(userId, id), placeOf(env, settings));
  // The stub's own type is infinite for the compiler (JSON is recursive). `implements ConversationApi` on the class guarantees it.
  return stub as ConversationApi & ChatObject;
}

/** Reports to a user's conversation that the user has signed in to a server. */
export async function reportSignIn(env: Env, userId: string, id: string): Promise<void> {
  await objectOf(env, userId, id).signedIn();
}

/** Returns the object that limits the caller's concurrent chats. No conversation can have this name. */
export function chatSlotsOf(c: HonoContext<HttpEnv>): ChatSlots {
  const name = JSON.stringify([c.get("context").caller.principal.userId]);
  return c.env.CONVERSATIONS.getByName(name, placeOf(c.env, {}));
}

/**
 * Returns the location of a new object. Every route passes it, because a read also creates the object, empty, and a later creation must
 * find it in the right location.
 */
function placeOf(env: Env, settings: ConversationSettings): DurableObjectNamespaceGetDurableObjectOptions {
  const region = settings.region ?? settingsFrom(env).CONVERSATION_REGION;
  return region === "auto" ? {} : { locationHint: region };
}

/** Opens a socket on which the object announces changes of the tool list. */
export async function listenTo(env: Env, { caller, id }: Target): Promise<WebSocket> {
  const stub = env.CONVERSATIONS.getByName(conversationName(caller.principal.userId, id));
  const headers = { upgrade: "websocket", [LISTEN_HEADER]: "1" };
  const answer = await stub.fetch("https://conversation/listen", { headers });
  const { webSocket } = answer;
  if (webSocket === null) return unwrap<never>(await answer.json());
  webSocket.accept();
  return webSocket;
}

/** The object's name. */
export function conversationName(userId: string, id: string): string {
  return JSON.stringify([userId, id]);
}

/** Returns the value of a reply, or throws its error. Adds the object's storage time to the request's. */
export function unwrapReply<T>(c: HonoContext<HttpEnv>, reply: Reply<T>): T {
  if (reply.ok) c.get("context").timings.storage += reply.storage_ms;
  return unwrap(reply);
}

/** Returns the request's Idempotency-Key with a digest of the request; `null` if absent. */
export async function idempotencyOf(c: HonoContext<HttpEnv>): Promise<(Idempotency & { key_digest: string }) | null> {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return null;
  if (key === "" || key.length > REQUEST_LIMITS.idempotencyKeyChars) {
    throw new GatewayError(
      "invalid",
      "INVALID_REQUEST",
      "The Idempotency-Key is empty or too long. Use 1 to 255 characters.",
      {
        issues: [{ code: "INVALID_FIELD", message: "Use 1-255 characters.", path: "Idempotency-Key" }],
      },
    );
  }
  const request = await sha256Hex(`${c.req.method} ${c.req.path}\n${await c.req.text()}`);
  return { key, request, key_digest: (await sha256Hex(key)).slice(0, 26) };
}
