// Who is calling, before anything else looks at a request: the principal, what its key is limited to, and the use cases' context.

import type { Context as HonoContext } from "hono";
import { createMiddleware } from "hono/factory";
import { allows, needOf, survivesOutage } from "../domain/access/key-scope";
import { GatewayError } from "../domain/errors";
import { settingsFrom } from "../domain/settings";
import { identify } from "../services/access/identity";
import { isUseDue, noteUse } from "../services/access/keys";
import { guardSession, storageDown, type Timings } from "../storage/d1/database";
import { makeContext, primaryDatabase } from "./context";
import type { HttpEnv } from "./env";

/** Answers 401 unless the request carries a good key, and puts the use cases' `Context` on the request. */
export const authenticate = createMiddleware<HttpEnv>(async (c, next) => {
  const settings = settingsFrom(c.env);
  const timings: Timings = { storage: 0 };
  const primary = c.env.DB.withSession("first-primary");
  const now = Date.now();
  const looking = {
    session: guardSession(primary, timings),
    settings,
    development: __DEVELOPMENT__,
    now,
    fetch: (url: string, init: RequestInit) => fetch(url, init),
  };
  const { caller, key } = await identify(looking, {
    bearer: /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? null,
    onBehalfOf: c.req.header("on-behalf-of") ?? null,
    requestId: c.get("requestId"),
    path: pathOf(c.req.url),
  });
  requireScope(c, caller.principal.scopes);
  if (caller.stale && !survivesOutage(c.req.path)) throw storageDown();
  if (key !== null && isUseDue(key, now)) {
    c.executionCtx.waitUntil(noteUse(primaryDatabase(c.env), key, now));
  }
  const bookmark = c.req.header("x-d1-bookmark");
  const session = bookmark === undefined ? primary : c.env.DB.withSession(bookmark);
  c.set("context", makeContext(c.env, { caller: { ...caller, asOf: primary.getBookmark() }, session, timings }));
  await next();
  const { headers } = c.res;
  headers.append("server-timing", `storage;dur=${timings.storage}`);
  // Caches on the way must not keep this answer: it is one principal's.
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.append("vary", "authorization, on-behalf-of");
  const reached = session.getBookmark();
  if (reached !== null) headers.set("x-d1-bookmark", reached);
});

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Refuses what the key's limits leave out. Keys, and all of a user's data at once, are no service's that acts for one. */
function requireScope(c: HonoContext<HttpEnv>, scopes: readonly string[]): void {
  const need = needOf(c.req.method, c.req.path);
  if ((need === "keys" || need === "admin") && c.req.header("on-behalf-of") !== undefined) {
    throw new GatewayError(
      "forbidden",
      "ACT_AS_DENIED",
      "This is for the user, or for an admin, and not on behalf of one.",
    );
  }
  if (allows(scopes, need)) return;
  const what = need === "unlimited" ? "a key without limits" : `the scope \`${need}\``;
  throw new GatewayError("forbidden", "SCOPE_MISSING", `This takes ${what}, which the key does not have.`, {
    needed: need,
  });
}
