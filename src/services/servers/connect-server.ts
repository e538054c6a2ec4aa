// Finds the server that a user connects by name, with its address.

import { GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import {
  type AuthorizationServer,
  scopeUnion,
  type UpstreamClient,
} from "../../domain/connections/authorization-server";
import type { ConnectedServer } from "../../domain/connections/connection";
import { GatewayError, refusalIn } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { bindingProblem } from "../../domain/servers/binding";
import { gatewayEntrySchema, inOrderOf } from "../../domain/servers/owner";
import { secretsIn } from "../../domain/servers/template";
import { openConnectRequest } from "../../storage/d1/servers/connect-requests";
import { serversNamed } from "../../storage/d1/servers/user-servers";
import {
  askToConnect,
  CONNECT_PAGES,
  type ConnectAsked,
  type ConnectLink,
  type ServerToConnect,
} from "../connections/connect";
import { connectionTo } from "../connections/tokens";
import type { Context } from "../context";
import { usableSecrets } from "../secrets/secrets";
import { serverNotFound } from "./admin";
import { hasCredentials } from "./signed-in-target";
import { fillServerVariables } from "./variables";

type Asked = Omit<ConnectAsked, "userId">;

/** Returns a link with which the caller connects a server: the caller's own over a group's over the gateway's. */
export async function connectServer(context: Context, name: string, asked: Asked): Promise<ConnectLink> {
  return linkTo(context, await serverToConnect(context, name), asked);
}

function linkTo(context: Context, server: ServerToConnect, asked: Asked): Promise<ConnectLink> {
  const { principal, requestId } = context.caller;
  return askToConnect({ ...partsOf(context), requestId }, server, { userId: principal.userId, ...asked });
}

/** Finds a server by name, fills its variables with its owner's secrets, and adds the client and scopes that its entry names. */
async function serverToConnect(context: Context, name: string): Promise<ServerToConnect> {
  const found = await serverNamed(context, name);
  if (found === null || found.entry.enabled === false) throw serverNotFound();
  const entry = gatewayEntrySchema.parse(found.entry);
  if (hasCredentials(entry)) {
    const message =
      "The entry of the MCP server has an `Authorization` header, so users cannot sign in to it. Remove the header.";
    throw new GatewayError("conflict", "SIGN_IN_NOT_NEEDED", message);
  }
  // The URL is stored with the connection and shown to the user.
  if (secretsIn([entry.url]).length > 0) {
    const message =
      "The URL of the MCP server contains a secret, so users cannot sign in to it. Move the secret to a header.";
    throw new GatewayError("conflict", "SIGN_IN_NOT_NEEDED", message);
  }
  const shared = found.scope === GATEWAY_SCOPE ? null : found.scope;
  const filled = await fillServerVariables(context, { shared }, name, entry);
  if ("problem" in filled)
    throw new GatewayError("conflict", "MCP_SERVER_UNAVAILABLE", `The MCP server cannot be used: ${filled.problem}.`);
  const { client_id: id, client_secret: secret, scopes } = entry.oauth ?? {};
  const client = (issuer: AuthorizationServer) => namedClient(context, issuer, { id: id ?? "", secret, shared });
  const { target } = filled;
  return { scope: found.scope, server: name, target, client: id === undefined ? undefined : client, scopes };
}

/** Returns a client with its secret, which must be bound to the hosts of all endpoints that receive it. */
async function namedClient(
  context: Context,
  { token_endpoint, revocation_endpoint = token_endpoint }: AuthorizationServer,
  { id, secret: template, shared }: { id: string; secret: string | undefined; shared: string | null },
): Promise<UpstreamClient> {
  if (template === undefined) return { client_id: id, token_endpoint_auth_method: "none" };
  const [name = ""] = secretsIn([template]);
  const secret = (await usableSecrets(context, [name], shared)).get(name);
  if (secret === undefined) throw clientProblem(name, "was not found");
  for (const endpoint of [token_endpoint, revocation_endpoint]) {
    const problem = bindingProblem(secret.hosts, new URL(endpoint), __DEVELOPMENT__);
    if (problem !== null) throw clientProblem(name, problem);
  }
  return { client_id: id, client_secret: secret.value };
}

function clientProblem(secret: string, problem: string): GatewayError {
  const message = `The client of the MCP server cannot be used: the secret '${secret}' ${problem}. Store it with the host of the issuer.`;
  return new GatewayError("conflict", "SIGN_IN_NEEDS_CLIENT", message);
}

/** Returns a link for a request that needs the caller's sign-in: an open one, or a new one. `null` if there is none to give. */
export async function signInLink(
  context: Context,
  name: string,
  scope: string | null,
): Promise<{ id: string; url: string } | null> {
  const { origin } = context;
  const { userId } = context.caller.principal;
  if (origin === undefined) return null;
  try {
    const server = await serverToConnect(context, name);
    const of = { userId, scope: server.scope, server: name, url: server.target.url };
    const open = scope === null ? await openConnectRequest(context.db, of) : null;
    if (open !== null) return { id: open, url: `${origin}${CONNECT_PAGES}/${open}` };
    return await linkTo(context, server, { origin, more: await scopesSoFar(context, of, scope) });
  } catch (error) {
    // The client receives the failure of the server instead.
    if (refusalIn(error) === null) throw error;
    return null;
  }
}

/** Returns the scopes of the caller's connection and those that a call requires in addition; nothing if it requires none. */
export async function scopesSoFar(
  context: Context,
  { scope, server, url }: ConnectedServer & { url: string },
  required: string | null,
): Promise<string | undefined> {
  if (required === null) return undefined;
  const row = await connectionTo(context, { scope, server }, url);
  return scopeUnion(row?.granted ?? null, required) ?? undefined;
}

/** The parts of a context that connecting needs. Its getters are read now. */
function partsOf({ db, settings, now, newId }: Context) {
  return { db, settings, now, newId };
}

async function serverNamed(context: Context, name: string): Promise<{ scope: string; entry: JsonObject } | null> {
  const visible = visibleScopes(context.caller.principal);
  const { own, gateway } = await serversNamed(context.db, visible, name);
  const nearest = inOrderOf(visible, own)[0];
  if (nearest !== undefined) return nearest;
  return gateway === null ? null : { scope: GATEWAY_SCOPE, entry: gateway.entry };
}
