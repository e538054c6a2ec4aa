// The context of sign-in routes, before a caller is authenticated.

import type { Context as HonoContext } from "hono";
import { countedAs } from "../../domain/access/address";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import type { IdentityRequest } from "../../services/access/identity";
import type { Address } from "../../services/sign-in/budget";
import type { SignInContext } from "../../services/sign-in/context";
import { identityStoresOf, newId, watchedPrimary } from "../context";
import type { HttpEnv } from "../edge";

export function signInContext(c: HonoContext<HttpEnv>): SignInContext {
  return {
    db: watchedPrimary(c.env),
    settings: settingsFrom(c.env),
    requestId: c.get("requestId"),
    now: () => Date.now(),
    newId: newId,
  };
}

/** Returns what is needed to look up keys. */
export function keyLookupContext(c: HonoContext<HttpEnv>): IdentityRequest {
  const places = identityStoresOf(c.env, { storage: 0 }, (work) => c.executionCtx.waitUntil(work));
  return { ...places, development: __DEVELOPMENT__, fetch: fetchExternal };
}

export const fetchExternal = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);

export function originOfRequest(c: HonoContext<HttpEnv>): string {
  return publicOrigin(settingsFrom(c.env), c.req.url);
}

export function addressOfRequest(c: HonoContext<HttpEnv>): Address {
  const address = c.req.header("cf-connecting-ip");
  return address === undefined ? null : countedAs(address);
}
