// What every handler finds on its context.

import type { RequestContext } from "./context";

export interface Variables {
  requestId: string;
  /** Set by `authenticate`; absent on the few open routes. */
  context: RequestContext;
  /** The limits that were counted for this request, as the `RateLimit-Policy` header names them. */
  limits?: readonly string[];
  /** Whose conversation the request is about, for the log. */
  conversation?: { conversation: string; userId: string };
  /** The code of the problem that is the answer, for the log. */
  problem?: string;
  /** Whether the caller's credential was refused. The status does not say it where a socket is refused. */
  unauthenticated?: boolean;
}

export type HttpEnv = { Bindings: Env; Variables: Variables };
