// Discovery: protected-resource metadata (RFC 9728), the gateway's authorization-server metadata (RFC 8414), and the public keys of the
// signatures of versions (RFC 7517).

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { settingsFrom } from "../domain/settings/settings";
import { signInServer } from "../domain/settings/sign-in-page";
import { GRANT_SCOPE } from "../domain/sign-in/grant";
import { publicOrigin } from "../domain/sign-in/resource";
import { MCP_PATH, SERVER_METADATA, scopesWanted, WELL_KNOWN } from "../edge/challenge";
import type { HttpEnv } from "../edge/edge";
import { pathNotFound } from "../edge/errors";
import { router } from "../edge/router";
import { json, only } from "../edge/schemas";
import * as z from "../edge/zod";

const metadataSchema = () =>
  z
    .object({
      resource: z.string(),
      resource_name: z.string(),
      authorization_servers: z.array(z.string()).optional(),
      scopes_supported: z.array(z.string()).optional(),
      bearer_methods_supported: z.array(z.literal("header")),
      resource_documentation: z.string(),
    })
    .openapi("ProtectedResource");

const CACHED = { "cache-control": "public, max-age=300" };

export const discoveryRoute = router();

for (const path of ["", MCP_PATH]) {
  discoveryRoute.openapi(
    createRoute({
      method: "get",
      path: `${WELL_KNOWN}${path}`,
      summary:
        path === ""
          ? "Returns the metadata of the protected resource (RFC 9728)."
          : "Returns the metadata of the MCP resource (RFC 9728).",
      security: [],
      responses: { 200: json("The metadata of this protected resource.", metadataSchema), ...only(429) },
    }),
    (c) => c.json(metadataOf(c), 200, CACHED),
  );
}

// Every URL below /mcp is a resource, existing or not, so the response does not reveal which exist.
discoveryRoute.get(`${WELL_KNOWN}${MCP_PATH}/*`, (c) => c.json(metadataOf(c), 200, CACHED));

discoveryRoute.get(SERVER_METADATA, (c) => {
  const settings = settingsFrom(c.env);
  if (signInServer(settings) !== "own") return pathNotFound(c);
  const issuer = publicOrigin(settings, c.req.url);
  const at = (name: string) => `${issuer}/oauth/${name}`;
  const metadata = {
    issuer,
    authorization_endpoint: at("authorize"),
    token_endpoint: at("token"),
    revocation_endpoint: at("revoke"),
    ...(settings.OAUTH_REGISTRATION === "on" ? { registration_endpoint: at("register") } : {}),
    client_id_metadata_document_supported: true,
    scopes_supported: [GRANT_SCOPE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: CLIENT_PROOFS,
    revocation_endpoint_auth_methods_supported: CLIENT_PROOFS,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs/sign-in.md`,
  };
  return c.json(metadata, 200, CACHED);
});

const jwksSchema = () =>
  z
    .object({
      keys: z.array(
        z.object({
          kty: z.literal("OKP"),
          crv: z.literal("Ed25519"),
          kid: z.string(),
          x: z.string(),
          use: z.literal("sig"),
          alg: z.literal("EdDSA"),
          endorsements: z
            .array(z.object({ keyid: z.string(), sig: z.string() }))
            .optional()
            .describe("Signatures of previous keys over the DSSE encoding of this key's id, in base64."),
        }),
      ),
    })
    .openapi("KeySet");

discoveryRoute.openapi(
  createRoute({
    method: "get",
    path: "/.well-known/jwks.json",
    summary: "Returns the public keys of the signatures of versions.",
    security: [],
    responses: { 200: json("The keys. Empty if the operator has set no SECRETS_KEY.", jwksSchema), ...only(429) },
  }),
  async (c) => {
    const { publicKeys } = await import("../services/secrets/signing");
    return c.json({ keys: await publicKeys(settingsFrom(c.env)) }, 200, CACHED);
  },
);

/**
 * Client authentication methods. `none` comes first because hosts use the first they support; the others are for pre-registered clients.
 */
const CLIENT_PROOFS = ["none", "client_secret_post", "client_secret_basic"];

/** The resource is exactly the requested URL, including its query. */
function metadataOf(c: HonoContext<HttpEnv>): z.infer<ReturnType<typeof metadataSchema>> {
  const settings = settingsFrom(c.env);
  const { JWT_ISSUER: issuer } = settings;
  const { pathname, search } = new URL(c.req.url);
  const origin = publicOrigin(settings, c.req.url);
  // The resource as the caller spells it, which follows the two segments of `WELL_KNOWN`, however those are spelt.
  const path = pathname.split("/").toSpliced(1, 2).join("/");
  const server = signInServer(settings) === "own" ? origin : issuer;
  const scopes = scopesWanted(settings);
  return {
    resource: origin + path + (path === "" ? "" : search),
    resource_name: "Skill Gateway",
    ...(server === undefined ? {} : { authorization_servers: [server] }),
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    resource_documentation: `${origin}/docs/sign-in.md`,
  };
}
