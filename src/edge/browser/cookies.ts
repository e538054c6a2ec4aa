// The two cookies of signing in. Each contains ids of sign-ins or links of this browser. Neither is a login, and no other module reads
// them.

import type { Context as HonoContext } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { hexOf } from "../../domain/digest";
import type { HttpEnv } from "../edge";

const PAGE = "sgw-tx-";
const LINK = "sgw-link";
const SECRET = /^[0-9a-f]{64}$/;

/** Returns the browser's secret for a sign-in, or `null`. */
export function pageSecret(c: HonoContext<HttpEnv>, id: string): string | null {
  return read(c, PAGE + id);
}

/** Returns the sign-ins that this browser has begun, newest first, because ids sort by time. */
export function startedPages(c: HonoContext<HttpEnv>): string[] {
  const start = prefix(c) + PAGE;
  const names = Object.keys(getCookie(c)).filter((name) => name.startsWith(start));
  return names
    .map((name) => name.slice(start.length))
    .sort()
    .reverse()
    .slice(0, 8);
}

export function setPageCookie(c: HonoContext<HttpEnv>, id: string, secret: string, seconds: number): void {
  write(c, PAGE + id, secret, seconds);
}

/** Returns the browser's secret for the link it has opened. */
export function linkSecret(c: HonoContext<HttpEnv>): string | null {
  return read(c, LINK);
}

export function setLinkCookie(c: HonoContext<HttpEnv>, secret: string, seconds: number): void {
  write(c, LINK, secret, seconds);
}

export function clearPageCookie(c: HonoContext<HttpEnv>, id: string): void {
  write(c, PAGE + id, "", 0);
}

/** Returns 256 random bits for a cookie. */
export function freshSecret(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(32)));
}

/** A cookie prefix that no other host of the domain and no page over http can set. Browsers accept it over https only. */
function prefix(c: HonoContext<HttpEnv>): string {
  return isSecure(c) ? "__Host-" : "";
}

function isSecure(c: HonoContext<HttpEnv>): boolean {
  return c.req.url.startsWith("https:");
}

function read(c: HonoContext<HttpEnv>, name: string): string | null {
  const value = getCookie(c)[prefix(c) + name];
  return value !== undefined && SECRET.test(value) ? value : null;
}

function write(c: HonoContext<HttpEnv>, name: string, value: string, maxAge: number): void {
  setCookie(c, prefix(c) + name, value, {
    path: "/",
    httpOnly: true,
    secure: isSecure(c),
    // The page is opened from another site and redirects there afterwards.
    sameSite: "Lax",
    maxAge,
  });
}
