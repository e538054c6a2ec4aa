// From an Authorization header to a principal, in one D1 round trip. Keys look like `sgw_<id>_<secret>`.

import { createMiddleware } from "hono/factory";
import { canActAs, type Principal, userScope } from "../domain/access";
import { sha256Hex } from "../domain/digest";
import { GatewayError } from "../domain/errors";
import { makeId } from "../domain/id";
import { DURATIONS } from "../domain/limits";
import { type Settings, settingsFrom } from "../domain/settings";
import type { Caller, Context } from "../services/context";
import { ENVIRONMENT_KEY, isUsable } from "../services/credential";
import { openDatabase, storageDown, type Timings } from "../storage/database";
import { type KeyRow, readKeyAndCounters } from "../storage/keys";
import type { HttpEnv } from "./env";

const ADMIN_USER = "admin";
/** What goes on with a principal that cannot be checked just now: existing conversations, from their own copy. */
const GOES_ON = /^\/api\/(?:v1\/conversations|tasks)\/[^/]+/;
const USER_ID = /^[A-Za-z0-9._:@+=-]{1,128}$/;

/** Principals this isolate has seen, for the minute in which D1 may be down. Keyed by digest of key and user. */
const seen = new Map<string, { caller: Caller; at: number }>();
const SEEN_AT_MOST = 1_000;

/** Answers 401 unless the request carries a good key, and puts the use cases' `Context` on the request. */
export const authenticate = createMiddleware<HttpEnv>(async (c, next) => {
  const settings = settingsFrom(c.env);
  const timings: Timings = { storage: 0 };
  const primary = c.env.DB.withSession("first-primary");
  const caller = await identify(c.req.raw.headers, settings, openDatabase(primary, timings), c.get("requestId"));
  if (caller.stale && !GOES_ON.test(c.req.path)) throw storageDown();
  const bookmark = c.req.header("x-d1-bookmark");
  const session = bookmark === undefined ? primary : c.env.DB.withSession(bookmark);
  const context: Context = {
    caller,
    db: openDatabase(session, timings),
    packages: c.env.PACKAGES,
    assets: c.env.ASSETS,
    loader: c.env.LOADER,
    settings,
    timings,
    now: () => Date.now(),
    newId: (prefix) => makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10))),
  };
  c.set("context", context);
  await next();
  c.res.headers.append("server-timing", `storage;dur=${timings.storage}`);
  const reached = session.getBookmark();
  if (reached !== null) c.res.headers.set("x-d1-bookmark", reached);
});

async function identify(
  headers: Headers,
  settings: Settings,
  db: ReturnType<typeof openDatabase>,
  requestId: string,
): Promise<Caller> {
  const token = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (token === undefined) throw unauthenticated("Send `Authorization: Bearer <key>`.");
  const onBehalfOf = headers.get("on-behalf-of");
  if (onBehalfOf !== null && !USER_ID.test(onBehalfOf)) {
    throw new GatewayError("invalid", "INVALID_REQUEST", "On-Behalf-Of is not a user id.", {
      issues: [{ code: "INVALID_FIELD", message: "Use 1-128 of A-Za-z0-9._:@+=-.", path: "On-Behalf-Of" }],
    });
  }
  const digest = await sha256Hex(token);
  const cacheKey = `${digest} ${onBehalfOf ?? ""}`;
  const isAdminKey =
    settings.GATEWAY_ADMIN_KEY !== undefined && sameText(digest, await adminDigest(settings.GATEWAY_ADMIN_KEY));
  const keyId = isAdminKey ? "" : (/^sgw_([0-9A-Za-z]{4,40})_/.exec(token)?.[1] ?? "");
  if (!isAdminKey && keyId === "") throw unauthenticated("The key is not one of this gateway's.");
  const extra = [
    ...(isAdminKey ? [userScope(ADMIN_USER)] : []),
    ...(onBehalfOf === null ? [] : [userScope(onBehalfOf)]),
  ];
  let read: Awaited<ReturnType<typeof readKeyAndCounters>>;
  try {
    read = await readKeyAndCounters(db, keyId, extra);
  } catch (error) {
    const known = seen.get(cacheKey);
    if (known === undefined || Date.now() - known.at > DURATIONS.principalCache) throw error;
    return { ...known.caller, requestId, stale: true };
  }
  // What this isolate knows to be revoked must not come back while D1 is down.
  if (!isAdminKey && !isLive(read.key, digest)) seen.delete(cacheKey);
  const own = isAdminKey ? adminPrincipal() : principalOf(read.key, digest);
  const principal = onBehalfOf === null ? own : onBehalf(own, onBehalfOf);
  const caller: Caller = { principal, counters: read.counters, requestId, stale: false };
  remember(cacheKey, caller);
  return caller;
}

let adminKey: { key: string; digest: string } | null = null;

async function adminDigest(key: string): Promise<string> {
  if (adminKey?.key !== key) adminKey = { key, digest: await sha256Hex(key) };
  return adminKey.digest;
}

function adminPrincipal(): Principal {
  return { userId: ADMIN_USER, role: "admin", groups: [], scopes: ["act_as"], keyId: ENVIRONMENT_KEY };
}

function isLive(key: KeyRow | null, digest: string): key is KeyRow {
  return isUsable(key, Date.now()) && sameText(key.hash, digest);
}

function principalOf(key: KeyRow | null, digest: string): Principal {
  if (!isLive(key, digest)) throw unauthenticated("The key is unknown, expired or revoked.");
  return { userId: key.userId, role: key.role, groups: key.groups, scopes: key.scopes, keyId: key.id };
}

/** The named user's own, plain rights: a service lends its reach, never its role. */
function onBehalf(service: Principal, userId: string): Principal {
  if (!canActAs(service)) {
    throw new GatewayError(
      "forbidden",
      "ACT_AS_DENIED",
      "This key may not act for others: it lacks the scope `act_as`.",
    );
  }
  return { userId, role: "user", groups: [], scopes: [], keyId: service.keyId };
}

function unauthenticated(message: string): GatewayError {
  return new GatewayError("unauthenticated", "UNAUTHENTICATED", message);
}

/** Compares digests in constant time. */
function sameText(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

function remember(key: string, caller: Caller): void {
  seen.delete(key);
  seen.set(key, { caller, at: Date.now() });
  const oldest = seen.keys().next().value;
  if (seen.size > SEEN_AT_MOST && oldest !== undefined) seen.delete(oldest);
}
