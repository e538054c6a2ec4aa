// The cookie of a console session. Only the console's edge (`src/console`) reads it.

import { isLocalHttp } from "../../domain/loopback";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";

const NAME = "skillgate_console";

/**
 * Returns the cookie's name for this URL. Over https, a name that no other host of the domain can set; a plain name for development on this
 * machine. `null`: no cookie would be safe.
 */
export function sessionCookieName(env: Env, url: string): string | null {
  const origin = new URL(publicOrigin(settingsFrom(env), url));
  if (origin.protocol === "https:") return `__Host-${NAME}`;
  return __DEVELOPMENT__ && isLocalHttp(origin) ? NAME : null;
}

/** Returns the browser's secret; `null` also if there are two such cookies, because one may be forged. */
export function sessionSecretIn(env: Env, request: Request): string | null {
  const name = sessionCookieName(env, request.url);
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const [value, ...others] = pairs.filter((pair) => name !== null && pair.startsWith(`${name}=`));
  if (name === null || value === undefined || others.length > 0) return null;
  return value.slice(name.length + 1);
}

/** Returns the `Set-Cookie` header for this lifetime in milliseconds; 0 deletes the cookie. */
export function sessionCookie(env: Env, url: string, secret: string, life: number): string {
  const name = sessionCookieName(env, url) ?? NAME;
  const secure = name === NAME ? "" : "; Secure";
  return `${name}=${secret}; Max-Age=${Math.floor(life / 1_000)}; Path=/; HttpOnly${secure}; SameSite=Strict`;
}
