// The settings of the gateway's own sign-in: who is the authorization server of MCP hosts, at which origin, and how long a grant lives.
// Part of `settings.ts`.

import { choice, count, optionalText } from "./kinds";

/** Whether a text is an origin as browsers spell one. */
const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;

export const signInSettings = {
  PUBLIC_ORIGIN: optionalText((value) =>
    isOrigin(value) ? null : "is no origin such as https://skills.example.com",
  ).describe(
    "The origin at which MCP hosts know the gateway. It is in what their tokens are for, and the name of the issuer. Unset: the one that a request comes to.",
  ),
  OAUTH_SERVER: choice(["auto", "own", "outside"], "auto").describe(
    "Where MCP hosts sign in: at the gateway (`own`, needs `SECRETS_KEY`), at `JWT_ISSUER` (`outside`), or with `auto` at `JWT_ISSUER` if there is one and else at the gateway.",
  ),
  GRANT_DAYS: count(180, 1, 3_650).describe("Days after which an MCP host must have its user sign in again."),
  GRANT_IDLE_DAYS: count(30, 1, 3_650).describe("The same for a host that has not renewed its token for so long."),
  OAUTH_REFRESH_GRACE_S: count(600, 0, 86_400).describe(
    "Seconds in which a host may show a refresh token again that was exchanged and whose successor is in use. Later that ends the grant.",
  ),
};

/** Whether MCP hosts sign in at the gateway itself. */
export function hasBuiltInSignIn(settings: {
  OAUTH_SERVER: "auto" | "own" | "outside";
  JWT_ISSUER?: string | undefined;
  SECRETS_KEY?: string | undefined;
}): boolean {
  if (settings.SECRETS_KEY === undefined) return false;
  return settings.OAUTH_SERVER === "own" || (settings.OAUTH_SERVER === "auto" && settings.JWT_ISSUER === undefined);
}
