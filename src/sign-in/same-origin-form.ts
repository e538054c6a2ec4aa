// Whether a form was sent by one of the gateway's own pages. The cookie says so too; either alone would do.

import type { Context as HonoContext } from "hono";
import { originOfRequest } from "../edge/browser/context";
import type { HttpEnv } from "../edge/env";

/**
 * Browsers say where a form stands in `Sec-Fetch-Site`. `Origin` is `null` even for our own, since pages here send no referrer; any other
 * origin is another site's.
 */
export function isSameOriginForm(c: HonoContext<HttpEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  if (origin === undefined || origin === originOfRequest(c)) return true;
  return origin === "null" && site === "same-origin";
}
