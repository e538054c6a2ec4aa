// The interface of an edge, one protocol for clients, with everything that `app.ts` needs to mount it; and the variables of its handlers.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { RequestContext } from "./context";

/** The variables on the context of a handler. */
interface Variables {
  requestId: string;
  /** Set by `authenticate`; absent on the few open routes. */
  context: RequestContext;
  /** The limits that were counted for this request, as the `RateLimit-Policy` header names them. */
  limits?: readonly string[];
  /** The conversation and user of the request, for the log. */
  conversation?: { conversation: string; userId: string };
  /** The code of the problem that is the answer, for the log. */
  problem?: string;
  /** Whether the credential was rejected, for responses whose status does not show it, such as closed sockets. */
  unauthenticated?: boolean;
}

export type HttpEnv = { Bindings: Env; Variables: Variables };

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
