// The cookie of a session of the console. One edge reads it (`src/console`); everywhere else it is nothing.

import { isLocalHttp } from "../../domain/loopback";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";

const NAME = "skillgate_console";

/**
 * What the cookie is called where the gateway is reached by this URL. Over https a name that no other host of the domain can set; the plain
 * one for development on this machine. `null`: here no cookie would be safe.
 */
export function sessionCookieName(env: Env, url: string): string | null {
  const origin = new URL(publicOrigin(settingsFrom(env), url));
  if (origin.protocol === "https:") return `__Host-${NAME}`;
  return __DEVELOPMENT__ && isLocalHttp(origin) ? NAME : null;
}

/** What the browser holds; `null` also where it sends two of that name, since one of them is somebody else's. */
export function sessionSecretIn(env: Env, request: Request): string | null {
  const name = sessionCookieName(env, request.url);
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const [value, ...others] = pairs.filter((pair) => name !== null && pair.startsWith(`${name}=`));
  if (name === null || value === undefined || others.length > 0) return null;
  return value.slice(name.length + 1);
}

/** The `Set-Cookie` that gives a browser its session for so long, in milliseconds; for nothing it is taken back. */
export function sessionCookie(env: Env, url: string, secret: string, life: number): string {
  const name = sessionCookieName(env, url) ?? NAME;
  const secure = name === NAME ? "" : "; Secure";
  return `${name}=${secret}; Max-Age=${Math.floor(life / 1_000)}; Path=/; HttpOnly${secure}; SameSite=Strict`;
}
