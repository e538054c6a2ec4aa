// Paging of the lists of skills and ghosts.

import { createMiddleware } from "hono/factory";
import { invalid } from "../domain/errors";
import type { HttpEnv } from "./edge";
import { integerParameter, pageQuery } from "./schemas";
import * as z from "./zod";

/** `limit` with `cursor`, or with Wegent's `skip`. */
export const listQuery = pageQuery.extend({
  skip: integerParameter(0, 1_000_000).optional(),
});

/** A query parameter that is `true` or `false`. */
export const flag = z
  .enum(["true", "false"])
  .optional()
  .transform((value) => value === "true")
  .openapi({ type: "boolean" });

/** A page begins after a cursor or at a position. Both at once are rejected. */
export const requireOneStart = createMiddleware<HttpEnv>(async (c, next) => {
  if (c.req.query("cursor") !== undefined && c.req.query("skip") !== undefined) {
    throw invalid([
      {
        code: "INVALID_FIELD",
        message: "`cursor` and `skip` exclude each other. Send one of them.",
        path: "query.skip",
      },
    ]);
  }
  await next();
});

/** Returns the `Link` header for a list that is a bare array. */
export function setNextLink(url: string, cursor: string | null): Record<string, string> {
  if (cursor === null) return {};
  const target = new URL(url);
  target.searchParams.delete("skip");
  target.searchParams.set("cursor", cursor);
  return { link: `<${target.pathname}${target.search}>; rel="next"` };
}
