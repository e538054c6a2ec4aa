// Authenticates requests: principal, limits of its key, and the context of use cases.

import type { Context as HonoContext } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { canRequest, identitySourceOf, needOf, PUBLISHING, survivesOutage } from "../domain/access/key-scope";
import { isDangerous, requireFreshSignIn } from "../domain/console/dangerous";
import { GatewayError, isRefusal } from "../domain/errors";
import { type Settings, settingsFrom } from "../domain/settings/settings";
import { publicOrigin, resourceAt } from "../domain/sign-in/resource";
import { readTraceContext } from "../domain/telemetry/trace-context";
import { identify, type PresentedCredential } from "../services/access/identity";
import type { Trust } from "../services/access/identity-lookup";
import { isUseDue, noteUse } from "../services/access/keys";
import type { Caller } from "../services/context";
import { storageDown, type Timings } from "../storage/d1/database";
import { type CallerWithSession, identityStoresOf, makeContext, primaryDatabase } from "./context";
import type { HttpEnv } from "./edge";

/** Returns 401 unless the request has a valid key, and adds the `Context` of use cases to the request. */
export const authenticate = createMiddleware<HttpEnv>(async (c, next) => {
  const timings: Timings = { storage: 0 };
  // Read once, because reading a body can replace the request object.
  const session = sessions.get(c.req.raw) ?? null;
  const trust = trustIn(c, session);
  const seen = await seenBy(c, session, trust, timings);
  const askPrimary = seen.certain ? undefined : () => seenBy(c, session, "certain", timings);
  const later = (work: Promise<void>) => c.executionCtx.waitUntil(work);
  const origin = publicOrigin(settingsFrom(c.env), c.req.url);
  const trace = readTraceContext(c.req.header("traceparent"), c.req.header("tracestate"));
  const context = makeContext(c.env, { ...seen, timings, askPrimary, origin, later, trace });
  c.set("context", context);
  await next();
  const { headers } = c.res;
  headers.append("server-timing", `storage;dur=${timings.storage}`);
  // Shared caches must not store the response, because it belongs to one principal.
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.append("vary", "authorization, x-api-key, on-behalf-of");
  const reached = context.reached();
  if (reached !== null) headers.set("x-d1-bookmark", reached);
});

/** Session secrets of requests from the console's edge. Stored outside of the request, so that a request cannot forge one. */
const sessions = new WeakMap<Request, string>();

/** Authenticates a request by a session. The console's edge calls it after checking that its own page sent the request. */
export function showSession(request: Request, secret: string): void {
  sessions.set(request, secret);
}

/**
 * Returns how old the identity may be. A conditional request may be answered with "not modified", which must not be based on old data;
 * changes through a session require a live session.
 */
function trustIn(c: HonoContext<HttpEnv>, session: string | null): Trust {
  const { method } = c.req;
  if (session !== null && method !== "GET" && method !== "HEAD") return "primary";
  const source = identitySourceOf(c.req.method, c.req.path);
  return source === "strict" || c.req.header("if-none-match") !== undefined ? "primary" : source;
}

/** Returns the caller from the nearest permitted source. */
async function seenBy(
  c: HonoContext<HttpEnv>,
  session: string | null,
  trust: Trust,
  timings: Timings,
): Promise<CallerWithSession & { certain: boolean }> {
  const { env } = c;
  const places = identityStoresOf(env, timings, (work) => c.executionCtx.waitUntil(work));
  const looking = {
    ...places,
    development: __DEVELOPMENT__,
    fetch: (url: string, init: RequestInit) => fetch(url, init),
  };
  const { caller, key, certain } = await identify(looking, shownBy(c, session, places.settings), trust, (principal) => {
    requireScope(c, principal.scopes);
    if (isDangerous(c.req.method, c.req.path)) requireFreshSignIn(principal);
  });
  if (caller.stale && !survivesOutage(c.req.path)) throw storageDown();
  const now = Date.now();
  if (key !== null && isUseDue(key, places.memory.notedAt(key.id), now)) {
    places.memory.note(key.id, now);
    c.executionCtx.waitUntil(noteUse(primaryDatabase(env), key, now));
  }
  return { caller, certain, session: certain ? places.far.raw : undefined };
}

/** Returns the caller of a request as it is now, at most `IDENTITY_MEMORY_S` old. Throws if its key is not valid any more. */
export async function identifyAgain(c: HonoContext<HttpEnv>): Promise<Caller> {
  const session = sessions.get(c.req.raw) ?? null;
  return callerOf((await seenBy(c, session, "remembered", { storage: 0 })).caller);
}

function callerOf(caller: CallerWithSession["caller"]): Caller {
  return typeof caller === "function" ? caller() : caller;
}

function shownBy(c: HonoContext<HttpEnv>, session: string | null, settings: Settings): PresentedCredential {
  return {
    bearer: bearerIn(c),
    session,
    onBehalfOf: c.req.header("on-behalf-of") ?? null,
    endUser: endUserIn(c, settings),
    requestId: c.get("requestId"),
    path: pathOf(c.req.url),
    resource: resourceAt(publicOrigin(settings, c.req.url), new URL(c.req.url).pathname),
    bookmark: c.req.header("x-d1-bookmark") ?? null,
  };
}

/** Returns the end user in the configured header. Unreplaced placeholders are ignored. */
function endUserIn(
  c: HonoContext<HttpEnv>,
  { CHAT_USER_HEADER, CHAT_USER_PREFIX }: Settings,
): PresentedCredential["endUser"] {
  if (CHAT_USER_HEADER === undefined || needOf(c.req.method, c.req.path) !== "chat") return null;
  const said = c.req.header(CHAT_USER_HEADER)?.trim() ?? "";
  if (said === "" || said.includes("{{")) return null;
  return { header: CHAT_USER_HEADER, userId: CHAT_USER_PREFIX + said };
}

/**
 * Runs a handler again if it refused a request based on a possibly old identity and the primary now returned the current one; `null`
 * otherwise. Only routes with cached identities are affected (`identitySourceOf`): they read, or refuse before they change anything.
 */
export async function retryOnPrimary(error: unknown, c: HonoContext<HttpEnv>): Promise<Response | null> {
  const context = c.get("context");
  // After an error, the index still refers to the handler that threw it.
  const handler = matchedRoutes(c)[c.req.routeIndex]?.handler;
  if (!isRefusal(error) || handler === undefined || !(await context?.makeCertain?.())) return null;
  const answer: unknown = await handler(c, async () => {});
  return answer instanceof Response ? answer : null;
}

/** Paths of Anthropic's APIs, with and without a group. */
const ANTHROPIC = /^(?:\/s\/group\/[^/]+)?\/anthropic\//;

/** The credential. Anthropic's clients send the key in another header. */
function bearerIn(c: HonoContext<HttpEnv>): string | null {
  const own = ANTHROPIC.test(c.req.path) ? c.req.header("x-api-key") : undefined;
  return own ?? /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/**
 * Rejects requests that the key's scopes do not allow. A service that acts for a user can neither manage the user's keys nor access all of
 * the user's data at once.
 */
function requireScope(c: HonoContext<HttpEnv>, scopes: readonly string[]): void {
  const need = needOf(c.req.method, c.req.path);
  if ((need === "keys" || need === "admin") && c.req.header("on-behalf-of") !== undefined) {
    throw new GatewayError(
      "forbidden",
      "ACT_AS_DENIED",
      "`On-Behalf-Of` is not allowed here. Call as the user or as an admin.",
    );
  }
  if (canRequest(scopes, c.req.method, c.req.path)) return;
  if (scopes.includes(PUBLISHING)) {
    throw new GatewayError(
      "forbidden",
      "SCOPE_MISSING",
      "The key of a trusted publisher can only publish. Use another key for this request.",
    );
  }
  const what = need === "unlimited" ? "a key without limits" : `the scope \`${need}\``;
  throw new GatewayError("forbidden", "SCOPE_MISSING", `The key lacks a permission. This request needs ${what}.`, {
    needed: need,
  });
}
