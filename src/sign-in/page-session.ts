// Finds the sign-in of a request and checks that it belongs to this browser.

import type { Context as HonoContext } from "hono";
import { sha256Hex } from "../domain/digest";
import { originOfRequest } from "../edge/browser/context";
import { pageSecret } from "../edge/browser/cookies";
import type { HttpEnv } from "../edge/edge";
import type { PageOf } from "../storage/d1/sign-in/pages";

/** The path of sign-in pages. */
export const PAGES = "/oauth/sign-in";

export const ENDED =
  "This page expired (10 minutes), was already used, or belongs to another browser. Start again from your program.";

/** Returns the sign-in with this id, if this browser began it. */
export async function pageIn(c: HonoContext<HttpEnv>, id: string): Promise<PageOf | null> {
  const secret = pageSecret(c, id);
  return secret === null ? null : { id, browser: await sha256Hex(secret) };
}

export function pagePlace(c: HonoContext<HttpEnv>, id: string): string {
  return `${originOfRequest(c)}${PAGES}/${id}`;
}

/**
 * Whether a form was sent by one of the gateway's own pages. The cookie proves the same; either would be enough alone. Browsers name the
 * form's site in `Sec-Fetch-Site`. `Origin` is `null` even for our own pages, because they send no referrer. Any other origin is another
 * site.
 */
export function isSameOriginForm(c: HonoContext<HttpEnv>): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = c.req.header("origin");
  if (origin === undefined || origin === originOfRequest(c)) return true;
  return origin === "null" && site === "same-origin";
}
