// The variables on a handler's context.

import type { RequestContext } from "./context";

export interface Variables {
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
