// The context of routes that work without a key.

import type { Context as HonoContext } from "hono";
import { makeContext, type RequestContext } from "./context";
import type { HttpEnv } from "./edge";

/** Returns a context for everybody. Code that asks for the caller throws. */
export function anonymousContext(c: HonoContext<HttpEnv>): RequestContext {
  return makeContext(c.env, { caller: nobody, later: (work) => c.executionCtx.waitUntil(work) });
}

/** Placeholder for the caller: code that needs a caller must not run without a key. */
export function nobody(): never {
  throw new Error("A route without a key asked who calls.");
}
