// Whether a form was sent by one of the gateway's own pages. The cookie proves the same; either would be enough alone.

import type { Context as HonoContext } from "hono";
import { originOfRequest } from "../edge/browser/context";
import type { HttpEnv } from "../edge/env";

/**
 * Browsers name the form's site in `Sec-Fetch-Site`. `Origin` is `null` even for our own pages, because they send no referrer. Any other
 * origin is another site.
 */
export function isSameOriginForm(c: HonoContext<HttpEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  if (origin === undefined || origin === originOfRequest(c)) return true;
  return origin === "null" && site === "same-origin";
}
