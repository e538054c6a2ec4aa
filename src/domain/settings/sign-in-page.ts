// Settings of the sign-in page and of client registration. Part of `settings.ts`.

import { choice, count, list, optionalText } from "./kinds";
import { hasBuiltInSignIn } from "./sign-in";

export const signInPageSettings = {
  OAUTH_SCOPES: list((entry) =>
    /^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/.test(entry) ? null : `'${entry}' is not a scope`,
  ).describe(
    "Comma-separated scopes that MCP hosts request from an external issuer, if it requires one. The gateway's own scope is `mcp`.",
  ),
  OAUTH_REGISTRATION: choice(["on", "off"], "on").describe(
    "With `off`, clients cannot register themselves. Clients with a metadata document at an https URL and pre-registered clients can still sign in.",
  ),
  OIDC_CLIENT_ID: optionalText((value) => (value === "" ? "use the client's id" : null)).describe(
    "The gateway's client at `JWT_ISSUER`. With it, users can sign in there from the gateway's page. Its redirect URI is `<origin>/oauth/callback`. Requires `OAUTH_SERVER=own`.",
  ),
  OIDC_CLIENT_SECRET: optionalText((value) => (value === "" ? "use the client's secret" : null)).describe(
    "The secret of that client, if it has one.",
  ),
  OIDC_SESSION_H: count(12, 1, 8_760).describe(
    "Hours after which a user who signed in at the issuer must sign in again, because groups may have changed.",
  ),
};

interface Chosen {
  OAUTH_SERVER: "auto" | "own" | "outside";
  JWT_ISSUER?: string | undefined;
  SECRETS_KEY?: string | undefined;
  OIDC_CLIENT_ID?: string | undefined;
  OIDC_CLIENT_SECRET?: string | undefined;
}

/** Returns who signs in users of MCP hosts; `null`: no sign-in, hosts need a key. */
export function signInServer(chosen: Chosen): "own" | "outside" | null {
  if (hasBuiltInSignIn(chosen)) return "own";
  return chosen.OAUTH_SERVER !== "own" && chosen.JWT_ISSUER !== undefined ? "outside" : null;
}

/** Returns the missing settings of the selected sign-in, with their problems. */
export function missingForSignIn(chosen: Chosen): { name: string; problem: string }[] {
  const { OAUTH_SERVER, JWT_ISSUER, SECRETS_KEY, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = chosen;
  const missing = [];
  if (OAUTH_SERVER === "own" && SECRETS_KEY === undefined)
    missing.push({ name: "OAUTH_SERVER", problem: "`own` needs SECRETS_KEY" });
  if (OAUTH_SERVER === "outside" && JWT_ISSUER === undefined)
    missing.push({ name: "OAUTH_SERVER", problem: "`outside` needs JWT_ISSUER" });
  if (OIDC_CLIENT_ID !== undefined && JWT_ISSUER === undefined)
    missing.push({ name: "OIDC_CLIENT_ID", problem: "it needs JWT_ISSUER" });
  if (OIDC_CLIENT_SECRET !== undefined && OIDC_CLIENT_ID === undefined)
    missing.push({ name: "OIDC_CLIENT_SECRET", problem: "it needs OIDC_CLIENT_ID" });
  return missing;
}
