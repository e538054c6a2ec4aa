// Client of authorization servers: finds the one of an MCP server, registers the gateway, and exchanges, refreshes and revokes tokens. Every
// URL of the chain comes from a stranger, so every request uses the guarded fetch.

import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/client";
import {
  type AuthorizationServer,
  authorizationServerSchema,
  defaultEndpoints,
  OFFLINE,
  scopeToRequest,
  type UpstreamClient,
} from "../domain/connections/authorization-server";
import { CONNECTION_LIMITS, CONNECTION_TIMES } from "../domain/connections/limits";
import { judgeUrl } from "../domain/servers/host-policy";
import type { UpstreamTarget } from "../domain/servers/memory";
import { faultIn, UpstreamFault } from "./fault";
import { guardedFetch } from "./fetch";
import { loadSdk, type Sdk } from "./sdk";

/** What a user's sign-in to a server needs. */
export interface DiscoveredSignIn {
  server: AuthorizationServer;
  /** The resource indicator (RFC 8707), as the server's metadata writes it. */
  resource: string | null;
  scope: string | null;
}

/** An error that the issuer returned, by its OAuth code. The message contains nothing of the issuer's. */
export class IssuerRefusal extends Error {
  override readonly name = "IssuerRefusal";

  constructor(readonly code: string) {
    super(`the issuer returned the error ${code}`);
  }
}

type Target = Pick<UpstreamTarget, "type" | "url" | "headers" | "redactor">;

/**
 * Finds how users sign in to a server (RFC 9728, RFC 8414). Returns `null` if it needs no sign-in.
 *
 * @throws UpstreamFault
 */
export async function discoverSignIn(target: Target, development: boolean): Promise<DiscoveredSignIn | null> {
  const sdk = await loadSdk();
  const ask = asking(development);
  const challenge = await challengeOf(sdk, target, development);
  const metadata = await resourceMetadata(sdk, target.url, challenge?.resourceMetadataUrl, ask);
  if (metadata === null && challenge === null) return null;
  const requestedResource = target.url;
  if (metadata !== null && !sdk.checkResourceAllowed({ requestedResource, configuredResource: metadata.resource }))
    throw new UpstreamFault("protocol", "its metadata is for another resource than its URL");
  const issuer = metadata?.authorization_servers?.[0] ?? new URL("/", target.url).href;
  const server = await issuerMetadata(sdk, issuer, ask);
  for (const url of [server.authorization_endpoint, server.token_endpoint]) {
    const { problem } = judgeUrl(url, development);
    if (problem !== undefined)
      throw new UpstreamFault("refused", `an address of its issuer is not allowed: ${problem}`);
  }
  const scope = scopeToRequest(challenge?.scope, metadata?.scopes_supported, server);
  const found = { server, resource: metadata?.resource ?? null, scope };
  // Users see what is stored of it, and the server knows the secrets in its headers.
  const text = JSON.stringify(found);
  if (target.redactor.text(text) !== text) throw new UpstreamFault("protocol", "its metadata contains a secret");
  return found;
}

/** Returns the challenge of a request without credentials; `null` if the server accepts it. */
async function challengeOf(sdk: Sdk, { type, url, headers }: Target, development: boolean) {
  const hello = {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "skill-gateway", version: "0" } },
  };
  const sent =
    type === "sse"
      ? { method: "GET", headers: { ...headers, accept: "text/event-stream" } }
      : {
          method: "POST",
          headers: {
            ...headers,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          body: JSON.stringify(hello),
        };
  const opened = await guardedFetch(url, sent, guardOf(development));
  await opened.body?.cancel();
  const session = opened.headers.get("mcp-session-id");
  let response = opened;
  // Some servers let everybody initialize, and later revisions of MCP have no such request.
  if (type !== "sse" && !isChallenge(opened)) {
    const listed = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const next = new Headers(sent.headers);
    if (session !== null) next.set("mcp-session-id", session);
    const request = { method: "POST", headers: next, body: JSON.stringify(listed) };
    response = await guardedFetch(url, request, guardOf(development));
    await response.body?.cancel();
  }
  if (session !== null)
    await guardedFetch(
      url,
      { method: "DELETE", headers: { ...headers, "mcp-session-id": session } },
      guardOf(development),
    )
      .then((ended) => ended.body?.cancel())
      .catch(() => undefined);
  return isChallenge(response) ? sdk.extractWWWAuthenticateParams(response) : null;
}

const isChallenge = ({ status }: Response) => status === 401 || status === 403;

async function resourceMetadata(sdk: Sdk, url: string, at: URL | undefined, ask: Asking) {
  try {
    const options = at === undefined ? {} : { resourceMetadataUrl: at };
    return await sdk.discoverOAuthProtectedResourceMetadata(url, options, ask);
  } catch (error) {
    // Servers of MCP 2025-03-26 have no such document; their origin is the issuer.
    if (faultIn(error) === null) return null;
    throw error;
  }
}

async function issuerMetadata(sdk: Sdk, issuer: string, ask: Asking): Promise<AuthorizationServer> {
  try {
    const found = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: ask });
    return found === undefined ? defaultEndpoints(issuer) : authorizationServerSchema.parse(found);
  } catch (error) {
    if (faultIn(error) !== null) throw error;
    if (error instanceof sdk.IssuerMismatchError)
      throw new UpstreamFault("protocol", "the metadata of its issuer names another issuer");
    throw new UpstreamFault("protocol", "the metadata of its issuer is not valid");
  }
}

/**
 * Registers the gateway as a client (RFC 7591).
 *
 * @throws UpstreamFault
 */
export async function registerAtIssuer(
  server: AuthorizationServer,
  { redirectUri, homepage, scope }: { redirectUri: string; homepage: string; scope: string | null },
  development: boolean,
): Promise<{ client: UpstreamClient; expiresAt: number | null }> {
  const sdk = await loadSdk();
  const clientMetadata = { ...clientMetadataOf(redirectUri, homepage), ...authMethodOf(server) };
  try {
    const made = await sdk.registerClient(server.issuer, {
      metadata: server,
      clientMetadata,
      ...(scope === null ? {} : { scope }),
      fetchFn: asking(development),
    });
    const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at: until = 0 } = made;
    if (client_secret === undefined)
      return { client: { client_id, token_endpoint_auth_method: "none" }, expiresAt: null };
    const method = token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method };
    return { client: { client_id, client_secret, ...method }, expiresAt: until === 0 ? null : until * 1_000 };
  } catch (error) {
    const fault = faultIn(error);
    if (fault !== null) throw fault;
    throw new UpstreamFault("protocol", "its issuer rejected the registration of the gateway");
  }
}

/** The metadata with which the gateway registers, and which its client id document contains. */
export function clientMetadataOf(redirectUri: string, homepage: string) {
  return {
    client_name: "Skill Gateway",
    client_uri: homepage,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "web",
  };
}

function authMethodOf({ token_endpoint_auth_methods_supported: known = [] }: AuthorizationServer) {
  const method = ["client_secret_basic", "client_secret_post", "none"].find((one) => known.includes(one));
  return method === undefined ? {} : { token_endpoint_auth_method: method };
}

/** Returns the URL to which the browser is redirected, and the PKCE verifier of the response. */
export async function authorizationUrl(
  server: AuthorizationServer,
  asked: { client: UpstreamClient; redirectUri: string; scope: string | null; state: string; resource: string | null },
): Promise<{ url: string; verifier: string }> {
  const sdk = await loadSdk();
  const { authorizationUrl: url, codeVerifier: verifier } = await sdk.startAuthorization(server.issuer, {
    metadata: server,
    clientInformation: informationOf(asked.client),
    redirectUrl: asked.redirectUri,
    state: asked.state,
    ...(asked.scope === null ? {} : { scope: asked.scope }),
    ...(asked.resource === null ? {} : { resource: asked.resource }),
  });
  return { url: url.href, verifier };
}

/** Tokens of one response. */
export interface UpstreamTokens {
  access: string;
  refresh: string | null;
  /** Lifetime of the access token in milliseconds; `null` if the issuer states none. */
  life: number | null;
  scope: string | null;
}

/**
 * Checks the issuer of the response (RFC 9207) and exchanges its code.
 *
 * @throws UpstreamFault, IssuerRefusal
 */
export function exchangeCode(
  server: AuthorizationServer,
  given: {
    client: UpstreamClient;
    code: string;
    iss: string | null;
    verifier: string;
    redirectUri: string;
    resource: string | null;
  },
  development: boolean,
): Promise<UpstreamTokens> {
  return tokensFrom((sdk) =>
    sdk.exchangeAuthorization(server.issuer, {
      metadata: server,
      clientInformation: informationOf(given.client),
      authorizationCode: given.code,
      codeVerifier: given.verifier,
      redirectUri: given.redirectUri,
      ...(given.iss === null ? {} : { iss: given.iss }),
      ...(given.resource === null ? {} : { resource: given.resource }),
      fetchFn: asking(development),
    }),
  );
}

/**
 * Exchanges a refresh token. If the issuer returns no new one, the old one stays valid.
 *
 * @throws UpstreamFault, IssuerRefusal
 */
export function refreshTokens(
  server: AuthorizationServer,
  given: { client: UpstreamClient; refresh: string; resource: string | null },
  development: boolean,
): Promise<UpstreamTokens> {
  return tokensFrom((sdk) =>
    sdk.refreshAuthorization(server.issuer, {
      metadata: server,
      clientInformation: informationOf(given.client),
      refreshToken: given.refresh,
      ...(given.resource === null ? {} : { resource: given.resource }),
      fetchFn: asking(development),
    }),
  );
}

/**
 * Gets a token for the client itself (client credentials). Refresh tokens are not used for it, so the scope for them is not requested.
 *
 * @throws UpstreamFault, IssuerRefusal
 */
export function requestClientToken(
  server: AuthorizationServer,
  given: { client: UpstreamClient; scope: string | null; resource: string | null },
  development: boolean,
): Promise<UpstreamTokens> {
  const { client_id: clientId, client_secret: clientSecret = "" } = given.client;
  const scope = (given.scope ?? "").split(" ").filter((one) => one !== "" && one !== OFFLINE);
  return tokensFrom((sdk) =>
    sdk.fetchToken(
      new sdk.ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: server.issuer }),
      server.issuer,
      {
        metadata: server,
        ...(scope.length === 0 ? {} : { scope: scope.join(" ") }),
        ...(given.resource === null ? {} : { resource: given.resource }),
        fetchFn: asking(development),
      },
    ),
  );
}

async function tokensFrom(exchange: (sdk: Sdk) => Promise<OAuthTokens>): Promise<UpstreamTokens> {
  const sdk = await loadSdk();
  const given = await exchange(sdk).catch((error: unknown) => {
    const fault = faultIn(error);
    if (fault !== null) throw fault;
    if (error instanceof sdk.IssuerMismatchError) throw new IssuerRefusal("issuer_mismatch");
    // The message can contain the whole response, so only the code is used.
    if (error instanceof sdk.OAuthError && /^[a-z_]{1,60}$/.test(error.code)) throw new IssuerRefusal(error.code);
    throw new UpstreamFault("protocol", "the token response of its issuer is not valid");
  });
  const { access_token: access, refresh_token: refresh = null, token_type: type, expires_in: seconds } = given;
  const isUsable = (token: string) => token.length <= CONNECTION_LIMITS.tokenChars && /^[\x21-\x7E]+$/.test(token);
  if (!/^bearer$/i.test(type) || !isUsable(access) || (refresh !== null && !isUsable(refresh)))
    throw new UpstreamFault("protocol", "its issuer returned a token that cannot be used");
  return { access, refresh, life: seconds === undefined ? null : seconds * 1_000, scope: given.scope ?? null };
}

/** Revokes tokens (RFC 7009), as far as the issuer supports it. Never fails. */
export async function revokeTokens(
  server: AuthorizationServer,
  { client, tokens }: { client: UpstreamClient; tokens: readonly { token: string; hint: string }[] },
  development: boolean,
): Promise<void> {
  const { revocation_endpoint: endpoint, token_endpoint_auth_methods_supported: methods = [] } = server;
  if (endpoint === undefined) return;
  const sdk = await loadSdk();
  const guard = { ...guardOf(development), totalMs: CONNECTION_TIMES.revocation };
  const revoke = async ({ token, hint }: { token: string; hint: string }) => {
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ accept: "application/json" });
    const method = sdk.selectClientAuthMethod(informationOf(client), methods);
    // Throws for an id that is not Latin-1, which an issuer can choose.
    if (method === "client_secret_basic")
      headers.set("authorization", `Basic ${btoa(`${client.client_id}:${client.client_secret ?? ""}`)}`);
    else body.set("client_id", client.client_id);
    if (method === "client_secret_post" && client.client_secret !== undefined)
      body.set("client_secret", client.client_secret);
    const response = await guardedFetch(endpoint, { method: "POST", headers, body }, guard);
    await response.body?.cancel();
  };
  for (const one of tokens)
    await revoke(one).catch((error: unknown) => {
      const kind = faultIn(error)?.kind ?? "unknown";
      console.warn(JSON.stringify({ event: "revocation_failed", kind }));
    });
}

function informationOf(client: UpstreamClient): OAuthClientInformationMixed {
  const { client_id, client_secret, token_endpoint_auth_method } = client;
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method }),
  };
}

type Asking = (url: string | URL, init?: RequestInit) => Promise<Response>;

function asking(development: boolean): Asking {
  return (url, init) => guardedFetch(url, init ?? {}, guardOf(development));
}

function guardOf(development: boolean) {
  return { development, headersMs: null, totalMs: CONNECTION_TIMES.issuer, bytes: CONNECTION_LIMITS.documentBytes };
}
