// Base of the edges for clients of other registries, which decide access themselves.

import { createMiddleware } from "hono/factory";
import { authenticate } from "../edge/auth";
import { crossOrigin } from "../edge/cors";
import type { Edge, HttpEnv } from "../edge/edge";
import { answerError } from "../edge/errors";
import { principalRate } from "../edge/rate";
import { router } from "../edge/router";
import { notInIndex } from "../services/compat/published-index";

/** A key is required: without a valid one the response is 401. */
export const withKey = createMiddleware<HttpEnv>((c, next) =>
  authenticate(c, async () => {
    await principalRate(c, next);
  }),
);

/** Authenticates a key if one is sent, and rejects an invalid one; otherwise the caller is anonymous. */
export const withKeyIfAny = createMiddleware<HttpEnv>((c, next) =>
  c.req.header("authorization") === undefined ? next() : withKey(c, next),
);

/** Creates an edge of routes that work without a key. Unknown paths below its prefix return 404. */
export function openRoutesAt(
  prefix: Edge["prefix"],
  add: (open: ReturnType<typeof router>) => void,
  errors: Edge["errors"] = answerError,
  cors: Edge["cors"][number] = crossOrigin,
): Edge {
  const open = router();
  add(open);
  open.all(`${prefix}/*`, () => {
    throw notInIndex();
  });
  return { prefix, cors: [cors], open, routes: router(), errors };
}
