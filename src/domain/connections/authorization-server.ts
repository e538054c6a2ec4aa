// The authorization server of an MCP server, the gateway's client there, and the tokens of one user.

import * as z from "zod";

/** The members of an issuer's metadata (RFC 8414) that the gateway uses. */
export const authorizationServerSchema = z.lazy(() =>
  z.object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    registration_endpoint: z.string().optional(),
    revocation_endpoint: z.string().optional(),
    token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
    code_challenge_methods_supported: z.array(z.string()).optional(),
    response_types_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()).optional(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
    client_id_metadata_document_supported: z.boolean().optional(),
  }),
);
export type AuthorizationServer = z.infer<typeof authorizationServerSchema>;

/** The gateway as a client of an issuer. */
export const upstreamClientSchema = z.lazy(() =>
  z.object({
    client_id: z.string(),
    client_secret: z.string().optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
);
export type UpstreamClient = z.infer<typeof upstreamClientSchema>;

/** The encrypted part of a connection. */
export const connectionSecretsSchema = z.lazy(() =>
  z.object({ client: upstreamClientSchema, access: z.string(), refresh: z.string().nullable() }),
);
export type ConnectionSecrets = z.infer<typeof connectionSecretsSchema>;

/** The encrypted part of a sign-in in progress. */
export const connectSecretsSchema = z.lazy(() =>
  z.object({ client: upstreamClientSchema, verifier: z.string().nullable() }),
);
export type ConnectSecrets = z.infer<typeof connectSecretsSchema>;

/** The scope that requests a refresh token. */
export const OFFLINE = "offline_access";

/**
 * Returns the scopes to request: those of the challenge, else all that the resource supports, else none. A refresh token is requested if
 * the issuer supports the scope for it.
 */
export function scopeToRequest(
  challenged: string | undefined,
  ofResource: readonly string[] | undefined,
  { scopes_supported: ofIssuer = [] }: AuthorizationServer,
): string | null {
  const scope = challenged || ofResource?.join(" ") || null;
  if (scope === null || !ofIssuer.includes(OFFLINE) || scope.split(" ").includes(OFFLINE)) return scope;
  return `${scope} ${OFFLINE}`;
}

/** Returns the endpoints of an issuer without metadata: the default paths of MCP 2025-03-26. */
export function defaultEndpoints(issuer: string): AuthorizationServer {
  const at = (path: string) => new URL(path, issuer).href;
  return {
    issuer,
    authorization_endpoint: at("/authorize"),
    token_endpoint: at("/token"),
    registration_endpoint: at("/register"),
    response_types_supported: ["code"],
  };
}

/** Returns the scopes of both texts, each once; `null` if there are none. */
export function scopeUnion(scope: string | null, more: string | undefined): string | null {
  const all = new Set(`${scope ?? ""} ${more ?? ""}`.split(" ").filter((one) => one !== ""));
  return all.size === 0 ? null : [...all].join(" ");
}
