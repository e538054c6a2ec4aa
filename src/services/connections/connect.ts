// Starts and completes a user's sign-in to an MCP server: discovery and registration, the redirect to the issuer, and its response.

import { userScope } from "../../domain/access/access";
import {
  type AuthorizationServer,
  type ConnectSecrets,
  connectSecretsSchema,
  scopeUnion,
  type UpstreamClient,
  upstreamClientSchema,
} from "../../domain/connections/authorization-server";
import {
  type ConnectedServer,
  clientPlace,
  connectionPlace,
  readReturnTo,
  requestPlace,
} from "../../domain/connections/connection";
import { CONNECTION_LIMITS, CONNECTION_TIMES } from "../../domain/connections/limits";
import { hexOf, sha256Hex } from "../../domain/digest";
import { GatewayError, invalid } from "../../domain/errors";
import type { UpstreamTarget } from "../../domain/servers/memory";
import { recording } from "../../storage/d1/audit";
import {
  type ConnectRequestRow,
  consumeConnectRequest,
  deleteUpstreamClient,
  insertConnectRequest,
  putUpstreamClient,
  readUpstreamClient,
  sendToIssuer,
} from "../../storage/d1/servers/connect-requests";
import { putConnection } from "../../storage/d1/servers/connections";
import {
  authorizationUrl,
  type DiscoveredSignIn,
  discoverSignIn,
  exchangeCode,
  IssuerRefusal,
  registerAtIssuer,
  type UpstreamTokens,
} from "../../upstream/authorization";
import { faultIn } from "../../upstream/fault";
import type { Context } from "../context";
import { seal, unseal } from "../secrets/encryption";
import { revokeConnections } from "./revoke";

/** The parts of a context that API requests and pages have in common. */
export type ConnectContext = Pick<Context, "db" | "settings" | "now" | "newId"> & { requestId: string };

/** The paths of the sign-in to servers. */
export const CONNECT_PAGES = "/oauth/connect";
export const CONNECT_CALLBACK = "/oauth/connect/callback";
export const CLIENT_DOCUMENT = "/oauth/client.json";

/** Prefix of the ids of sign-ins in progress. */
const REQUEST = "cnr";

/** Whether an id is that of a sign-in to a server. */
export function isConnectRequest(id: string): boolean {
  return id.startsWith(`${REQUEST}_`);
}

/** A server to connect, with its address. */
export interface ServerToConnect extends ConnectedServer {
  target: Pick<UpstreamTarget, "type" | "url" | "headers" | "redactor">;
  /** Returns the client that the entry names, for this issuer. Absent: the gateway registers itself. */
  client?: ((issuer: AuthorizationServer) => Promise<UpstreamClient>) | undefined;
  /** The scopes that the entry names. */
  scopes?: readonly string[] | undefined;
}

/** Who asks, and where the user returns. */
export interface ConnectAsked {
  userId: string;
  /** The gateway's public origin. */
  origin: string;
  returnTo?: string | undefined;
  /** Scopes to request in addition, separated by spaces: those granted before, and those that a call requires. */
  more?: string | undefined;
  /** The question of a conversation that the connection answers. */
  waiting?: { conversation: string; question: string } | undefined;
}

/** A link with which a user connects a server. */
export interface ConnectLink {
  id: string;
  url: string;
  expiresAt: number;
}

/** Finds the issuer of a server, registers the gateway there if needed, and returns a link to the gateway's own page. */
export async function askToConnect(
  context: ConnectContext,
  { scope, server, target, client: named, scopes }: ServerToConnect,
  { userId, origin, returnTo, more, waiting }: ConnectAsked,
): Promise<ConnectLink> {
  const back = returnTo === undefined ? null : readReturnTo(returnTo, context.settings.ALLOWED_ORIGINS);
  if (returnTo !== undefined && back === null) throw invalid([NO_RETURN]);
  const found = await discovered(target);
  const client = named === undefined ? await clientAt(context, found, origin) : await named(found.server);
  const id = context.newId(REQUEST);
  const place = { userId, id };
  const secrets: ConnectSecrets = { client, verifier: null };
  const row = {
    ...{ ...place, scope, server, url: target.url, issuer: found.server.issuer, resource: found.resource },
    ...{ endpoints: found.server, wanted: scopeUnion(scopes?.join(" ") ?? found.scope, more), returnTo: back },
    ...{ conversation: waiting?.conversation ?? null, question: waiting?.question ?? null },
    ...(await seal(context.settings, requestPlace(place), JSON.stringify(secrets))),
  };
  const expiresAt = await insertConnectRequest(context.db, row, CONNECTION_LIMITS.requestsOfUser);
  if (expiresAt !== null) return { id, url: `${origin}${CONNECT_PAGES}/${id}`, expiresAt };
  const message = `Limit of unused connection links reached (${CONNECTION_LIMITS.requestsOfUser} per user). Use one of them, or wait 10 minutes.`;
  throw new GatewayError("conflict", "TOO_MANY_SIGN_INS", message);
}

const NO_RETURN = {
  code: "RETURN_NOT_ALLOWED",
  message: "The page to return to is not allowed. Use a URL without a fragment whose origin is in `ALLOWED_ORIGINS`.",
  path: "return_to",
};

async function discovered(target: ServerToConnect["target"]): Promise<DiscoveredSignIn> {
  let found: DiscoveredSignIn | null;
  try {
    found = await discoverSignIn(target, __DEVELOPMENT__);
  } catch (error) {
    throw unavailable(error);
  }
  if (found !== null) return found;
  throw new GatewayError(
    "conflict",
    "SIGN_IN_NOT_NEEDED",
    "The MCP server does not ask for a sign-in. Use it without a connection.",
  );
}

/** Converts a fault of the server or its issuer; rethrows other errors. */
function unavailable(error: unknown): unknown {
  const fault = faultIn(error);
  if (fault === null) return error;
  const message = `The sign-in of the MCP server cannot be used: ${fault.message}. Try again later, or report it to the operator of that server.`;
  return new GatewayError("conflict", "SIGN_IN_UNAVAILABLE", message);
}

/** Returns the gateway's client at an issuer: the address of its document if the issuer reads such, else a registration. */
async function clientAt(
  context: ConnectContext,
  { server, scope }: DiscoveredSignIn,
  origin: string,
): Promise<UpstreamClient> {
  const document = context.settings.OAUTH_CLIENT_ID_URL ?? origin + CLIENT_DOCUMENT;
  if (server.client_id_metadata_document_supported === true && document.startsWith("https:"))
    return { client_id: document, token_endpoint_auth_method: "none" };
  if (server.registration_endpoint === undefined) {
    const message =
      "The issuer of the MCP server accepts no registration of the gateway. An admin must register a client there and store its id in the entry of the server.";
    throw new GatewayError("conflict", "SIGN_IN_NEEDS_CLIENT", message);
  }
  const place = { issuer: server.issuer, redirectUri: origin + CONNECT_CALLBACK };
  const known = await readUpstreamClient(context.db, place.issuer, place.redirectUri);
  const text = known === null ? null : await unseal(context.settings, clientPlace(place), known);
  if (text !== null) return upstreamClientSchema.parse(JSON.parse(text));
  if (known !== null) await deleteUpstreamClient(context.db, place.issuer, place.redirectUri);
  try {
    const asked = { redirectUri: place.redirectUri, homepage: origin, scope };
    const made = await registerAtIssuer(server, asked, __DEVELOPMENT__);
    const sealed = await seal(context.settings, clientPlace(place), JSON.stringify(made.client));
    const stored = await putUpstreamClient(context.db, { ...place, ...sealed, expiresAt: made.expiresAt });
    const kept = stored === null ? null : await unseal(context.settings, clientPlace(place), stored);
    return kept === null ? made.client : upstreamClientSchema.parse(JSON.parse(kept));
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Binds a sign-in to the browser with this secret and returns the issuer's URL; `null` if the sign-in was used by another browser meanwhile.
 * The caller has proved the user, or the page that asked proves it afterwards.
 */
export async function beginAtServer(
  context: ConnectContext,
  request: ConnectRequestRow,
  { secret, origin }: { secret: string; origin: string },
): Promise<string | null> {
  const { client } = await secretsOf(context, request);
  const state = `${request.id}.${hexOf(crypto.getRandomValues(new Uint8Array(32)))}`;
  const { url, verifier } = await authorizationUrl(request.endpoints, {
    ...{ client, state, scope: request.wanted, resource: request.resource },
    redirectUri: origin + CONNECT_CALLBACK,
  });
  const sealed = await seal(context.settings, requestPlace(request), JSON.stringify({ client, verifier }));
  const sent = { stateHash: await sha256Hex(state), ...sealed };
  const mine = { id: request.id, browser: await sha256Hex(secret) };
  return (await sendToIssuer(context.db, mine, sent)) ? url : null;
}

/** The issuer's response, as the browser brings it. */
export interface ConnectAnswer {
  code: string | null;
  state: string;
  iss: string | null;
  /** An OAuth error code. */
  error: string | null;
}

/** The result of a sign-in: a sentence for the user, or the connection with the page to return to and the proof for it. */
export type Connected =
  | { problem: string }
  | { request: ConnectRequestRow; id: string; proof: string | null; problem?: never };

const ENDED = "This link expired (10 minutes), was already used, or belongs to another browser. Ask for a new one.";

/** Handles the issuer's response, once. */
export async function finishAtServer(
  context: ConnectContext,
  { id, secret, origin }: { id: string; secret: string; origin: string },
  { code, state, iss, error }: ConnectAnswer,
): Promise<Connected> {
  const mine = { id, browser: await sha256Hex(secret), stateHash: await sha256Hex(state) };
  const request = await consumeConnectRequest(context.db, mine);
  if (request === null) return { problem: ENDED };
  const { server, issuer } = request;
  const { authorization_response_iss_parameter_supported: tellsIssuer = false } = request.endpoints;
  if (iss === null ? tellsIssuer : iss !== request.endpoints.issuer) return { problem: OTHER_ISSUER };
  if (code === null)
    return {
      problem:
        error === "access_denied"
          ? `The sign-in to ${server} was denied. Nothing was connected.`
          : `The sign-in to ${server} was not completed. Ask for a new link.`,
    };
  const { client, verifier } = await secretsOf(context, request);
  const redirectUri = origin + CONNECT_CALLBACK;
  let tokens: UpstreamTokens;
  try {
    const given = { client, code, iss, verifier: verifier ?? "", redirectUri, resource: request.resource };
    tokens = await exchangeCode(request.endpoints, given, __DEVELOPMENT__);
  } catch (refused) {
    if (refused instanceof IssuerRefusal) {
      // The issuer has forgotten the registration: the next sign-in registers again.
      if (refused.code === "invalid_client") await deleteUpstreamClient(context.db, issuer, redirectUri);
      return { problem: refused.code === "issuer_mismatch" ? OTHER_ISSUER : NOT_ISSUED };
    }
    if (faultIn(refused) === null) throw refused;
    return { problem: NOT_ISSUED };
  }
  return store(context, request, client, tokens);
}

const OTHER_ISSUER = "The response came from another issuer than the one that was asked. Nothing was connected.";
const NOT_ISSUED = "The issuer did not issue an access token. Nothing was connected. Ask for a new link.";

async function store(
  context: ConnectContext,
  request: ConnectRequestRow,
  client: UpstreamClient,
  { access, refresh, life, scope: granted }: UpstreamTokens,
): Promise<Connected> {
  const { userId, scope, server, url, issuer, resource, endpoints, returnTo } = request;
  const id = context.newId("cnn");
  const proof = returnTo === null ? null : hexOf(crypto.getRandomValues(new Uint8Array(32)));
  const secrets = JSON.stringify({ client, access, refresh });
  const row = {
    ...{ id, userId, scope, server, url, issuer, resource, endpoints, life },
    ...(await seal(context.settings, connectionPlace({ userId, id }), secrets)),
    ...{ granted: granted ?? request.wanted, state: proof === null ? ("active" as const) : ("pending" as const) },
    ...{
      proof: proof === null ? null : await sha256Hex(proof),
      proofLife: proof === null ? null : CONNECTION_TIMES.proof,
    },
  };
  const recorded = recordingConnection(context, row, request.id);
  const { made, before } = await putConnection(recorded, row, CONNECTION_LIMITS.perUser);
  await revokeConnections(context, before);
  if (!made) return { problem: `Connection limit reached (${CONNECTION_LIMITS.perUser}). Disconnect a server first.` };
  return { request, id, proof };
}

function recordingConnection(
  context: ConnectContext,
  { id, userId, scope, issuer }: { id: string; userId: string; scope: string; issuer: string },
  requestId: string,
) {
  const pseudonyms = { pseudonym: context.newId("usr"), otherPseudonym: context.newId("usr") };
  const actor = { userId, keyId: requestId, requestId: context.requestId, ...pseudonyms };
  const after = { scope: scope === userScope(userId) ? "user" : scope, issuer: new URL(issuer).host };
  const told = {
    action: "connection.create",
    resourceType: "connection",
    resourceId: id,
    before: null,
    after,
  } as const;
  return recording(context.db, actor, { ...told, about: null, when: { thing: "is", type: "connection", id } });
}

async function secretsOf(context: ConnectContext, request: ConnectRequestRow): Promise<ConnectSecrets> {
  const text = await unseal(context.settings, requestPlace(request), request);
  if (text !== null) return connectSecretsSchema.parse(JSON.parse(text));
  throw new GatewayError(
    "unavailable",
    "SECRETS_UNAVAILABLE",
    "The sign-in was stored with a key that is no longer set.",
  );
}

/** Where a discovered issuer differs from the server's own host, the page says so. */
export function hostsOf({ url, endpoints }: { url: string; endpoints: AuthorizationServer }) {
  const host = new URL(url).host;
  return { server: host, issuer: new URL(endpoints.authorization_endpoint).host };
}
