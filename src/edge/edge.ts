// The interface of an edge: one protocol for clients, with everything that `app.ts` needs to mount it.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { HttpEnv } from "./env";

/** Its row is in the table of `edges.ts`. What a request below the prefix needs of its key is in `domain/access/key-scope.ts`. */
export interface Edge {
  /** Every path below it belongs to this edge. The routes name their whole path. */
  prefix: `/${string}`;
  /** Checks origins, answers preflights and adds CORS headers. Runs before authentication. */
  cors: readonly MiddlewareHandler<HttpEnv>[];
  /** Routes that check keys or tickets themselves. */
  open?: OpenAPIHono<HttpEnv>;
  /** Routes behind a key. */
  routes: OpenAPIHono<HttpEnv>;
  /** Puts what was thrown below the prefix into the words of this protocol. */
  errors(error: unknown, c: HonoContext<HttpEnv>): Response | Promise<Response>;
}
