// The variables on a handler's context.

import type { RequestContext } from "./context";

export interface Variables {
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
