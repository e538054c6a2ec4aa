// The interface of an edge: one protocol for clients, with everything that `app.ts` needs to mount it.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { HttpEnv } from "./env";

/** Each edge is a row of the table in `edges.ts`. `domain/access/key-scope.ts` lists the key scopes that paths below the prefix require. */
export interface Edge {
  /** This edge handles every path below it. Routes contain the whole path. */
  prefix: `/${string}`;
  /** Checks origins, answers preflights and adds CORS headers. Runs before authentication. */
  cors: readonly MiddlewareHandler<HttpEnv>[];
  /** Routes that check keys or tickets themselves. */
  open?: OpenAPIHono<HttpEnv>;
  /** Routes that require a key. */
  routes: OpenAPIHono<HttpEnv>;
  /** Converts errors below the prefix to the format of this protocol. */
  errors(error: unknown, c: HonoContext<HttpEnv>): Response | Promise<Response>;
}
