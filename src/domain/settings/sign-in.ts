// Settings of the gateway's sign-in: the authorization server of MCP hosts, its origin, and lifetimes of grants. Part of `settings.ts`.

import { choice, count, optionalText } from "./kinds";

/** Whether a text is an origin in the form that browsers send. */
const isOrigin = (text: string) => /^https?:/.test(text) && URL.parse(text)?.origin === text;

export const signInSettings = {
  PUBLIC_ORIGIN: optionalText((value) =>
    isOrigin(value) ? null : "is not an origin such as https://skills.example.com",
  ).describe(
    "The origin at which MCP hosts use the gateway. It is the audience of their tokens and the name of the issuer. Unset: the origin of the request.",
  ),
  OAUTH_SERVER: choice(["auto", "own", "outside"], "auto").describe(
    "Where MCP hosts sign in: at the gateway (`own`, requires `SECRETS_KEY`), at `JWT_ISSUER` (`outside`), or with `auto` at `JWT_ISSUER` if it is set and otherwise at the gateway.",
  ),
  OAUTH_CLIENT_ID_URL: optionalText((value) =>
    /^https:\/\/[^/]+\/./.test(value) && URL.canParse(value) ? null : "is not an https URL with a path",
  ).describe(
    "The client id of the gateway at MCP servers that read client metadata documents. The document must be at this URL. Unset: `/oauth/client.json` of the gateway.",
  ),
  GRANT_DAYS: count(180, 1, 3_650).describe("Days after which the user of an MCP host must sign in again."),
  GRANT_IDLE_DAYS: count(30, 1, 3_650).describe(
    "Days without a token refresh after which the user of an MCP host must sign in again.",
  ),
  OAUTH_REFRESH_GRACE_S: count(600, 0, 86_400).describe(
    "Seconds during which a host can repeat a refresh token whose successor is already in use. Later, a repeat revokes the grant.",
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
