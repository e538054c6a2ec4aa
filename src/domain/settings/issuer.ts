// Settings of the external token issuer and its claims. Part of `settings.ts`.

import { isLocalHttp } from "../loopback";
import { entriesOf, list, optionalText, own, textOr } from "./kinds";

/** Signature algorithms with public keys. Symmetric ones are excluded, because a public key must never be used as a secret. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;
type Algorithm = (typeof ALGORITHMS)[number];

/** The name of a claim, or the value it must have. */
const claim = (value: string) => (value === "" || value.length > 200 ? "use 1 to 200 characters" : null);

/** Whether keys can be fetched from here: over https, or, in development builds only, from this machine. */
export function isKeyAddress(text: string, development: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || (development && isLocalHttp(url));
}

export const issuerSettings = {
  JWT_ISSUER: optionalText((value) => (value === "" ? "use the issuer's name" : null)).describe(
    "The issuer (`iss`) whose tokens are accepted. Without it, only keys are. Requires `JWT_AUDIENCE` and `JWT_JWKS_URL`.",
  ),
  JWT_AUDIENCE: list().describe(
    "Comma-separated audiences (`aud`). A token must be for one of them. MCP clients request `<url>/mcp`.",
  ),
  JWT_JWKS_URL: optionalText((value) => (isKeyAddress(value, true) ? null : "use an https address")).describe(
    "The https URL of the issuer's key set (JWKS).",
  ),
  JWT_ALGORITHMS: own<Algorithm[]>(["RS256", "ES256", "EdDSA"], (value, say) => {
    const names = entriesOf(value);
    const known = ALGORITHMS.filter((one) => names.includes(one));
    if (names.length === 0 || known.length < new Set(names).size) say(`use some of ${ALGORITHMS.join(", ")}`);
    return known;
  }).describe(`Comma-separated signature algorithms that are accepted, among ${ALGORITHMS.join(", ")}.`),
  JWT_USER_CLAIM: textOr("sub", claim).describe(
    "The claim with the id of the user: 1 to 128 characters of `A-Za-z0-9._:@+=-`.",
  ),
  JWT_NAME_CLAIM: optionalText(claim).describe(
    "The claim with the name of the user, for `user.name` in headers of MCP servers.",
  ),
  JWT_ROLE_CLAIM: optionalText(claim).describe(
    "The claim, a string or a list, that marks admins. Unset: nobody becomes an admin by token.",
  ),
  JWT_ADMIN_VALUE: textOr("admin", claim).describe("The value of `JWT_ROLE_CLAIM`, or an element of it, for admins."),
  JWT_GROUPS_CLAIM: optionalText(claim).describe(
    "The claim with a list of groups, `name` (Developer) or `name:Role`. Groups that do not exist in the gateway are ignored and logged once.",
  ),
};

/** Returns the settings that an issuer requires and that are missing. */
export function missingForIssuer(settings: {
  JWT_ISSUER?: string | undefined;
  JWT_AUDIENCE: readonly string[];
  JWT_JWKS_URL?: string | undefined;
}): string[] {
  if (settings.JWT_ISSUER === undefined) return [];
  const missing = [];
  if (settings.JWT_AUDIENCE.length === 0) missing.push("JWT_AUDIENCE");
  if (settings.JWT_JWKS_URL === undefined) missing.push("JWT_JWKS_URL");
  return missing;
}
