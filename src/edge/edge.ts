// The interface of an edge, one protocol for clients, with everything that `app.ts` needs to mount it; and the variables of its handlers.

import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { RequestContext } from "./context";

/** The variables on the context of a handler. */
interface Variables {
  requestId: string;
  /** Set by `authenticate`; absent for the few routes without a key. */
  context: RequestContext;
  /** The limits under which this request was counted, as named in the `RateLimit-Policy` header. */
  limits?: readonly string[];
  /** The conversation and user of the request, for the log. */
  conversation?: { conversation: string; userId: string };
  /** The code of an error response, for the log. */
  problem?: string;
  /** Whether the credential was rejected, for responses whose status does not show it, such as closed sockets. */
  unauthenticated?: boolean;
}

export type HttpEnv = { Bindings: Env; Variables: Variables };

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

/** Routes that need no key and belong to no edge. */
export interface OpenRoutes {
  first: readonly OpenAPIHono<HttpEnv>[];
  /** Mounted after the edges, because paths below an edge are none of theirs. */
  last: readonly OpenAPIHono<HttpEnv>[];
}
