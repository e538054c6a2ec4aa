// POST /oauth/register: programs register themselves (RFC 7591). They are public clients and get no secret.

import { settingsFrom } from "../domain/settings/settings";
import { hasBuiltInSignIn } from "../domain/settings/sign-in";
import { GRANT_SCOPE } from "../domain/sign-in/grant";
import { SIGN_IN_LIMITS } from "../domain/sign-in/limits";
import { readBytes } from "../edge/body";
import { addressOfRequest, signInContext } from "../edge/browser/context";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { registerClient } from "../services/sign-in/clients";
import { oauthError } from "./refusal";

export const registerRoutes = router();

registerRoutes.post("/oauth/register", async (c) => {
  const settings = settingsFrom(c.env);
  if (!hasBuiltInSignIn(settings) || settings.OAUTH_REGISTRATION === "off") return pathNotFound(c);
  const bytes = await readBytes(c.req.raw, SIGN_IN_LIMITS.metadataBytes);
  if (bytes === null)
    return oauthError(
      413,
      "invalid_client_metadata",
      `The metadata is too large (limit ${SIGN_IN_LIMITS.metadataBytes / 1_024} KiB). Send less.`,
    );
  const said = parsed(new TextDecoder().decode(bytes));
  if (said === undefined)
    return oauthError(400, "invalid_client_metadata", "The body is not a JSON object. Send the metadata as one.");
  const read = await registerClient(signInContext(c), addressOfRequest(c), said);
  if ("issues" in read) {
    const problems = read.issues.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join(" ");
    return oauthError(400, read.uris ? "invalid_redirect_uri" : "invalid_client_metadata", problems);
  }
  const { id, name, redirectUris } = read.client;
  const registered = {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: GRANT_SCOPE,
  };
  return c.json(registered, 201, { "cache-control": "no-store" });
});

/** Returns the JSON in a text; `undefined` if there is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
