// Finds the server that a user connects by name, with its address.

import { GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import { scopeUnion, type UpstreamClient } from "../../domain/connections/authorization-server";
import type { ConnectedServer } from "../../domain/connections/connection";
import { GatewayError, refusalIn } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { bindingProblem } from "../../domain/servers/binding";
import type { UpstreamTarget } from "../../domain/servers/memory";
import { type GatewayServerEntry, gatewayEntrySchema, inOrderOf } from "../../domain/servers/owner";
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

/** Returns a link with which the caller connects a server: the caller's own over a group's over the gateway's. */
export async function connectServer(
  context: Context,
  name: string,
  asked: Pick<ConnectAsked, "origin" | "returnTo" | "more" | "waiting">,
): Promise<ConnectLink> {
  const { userId } = context.caller.principal;
  const found = await serverNamed(context, name);
  if (found === null || found.entry.enabled === false) throw serverNotFound();
  const entry = gatewayEntrySchema.parse(found.entry);
  if (hasCredentials(entry)) {
    const message =
      "The entry of the MCP server has an `Authorization` header, so users cannot sign in to it. Remove the header.";
    throw new GatewayError("conflict", "SIGN_IN_NOT_NEEDED", message);
  }
  const filled = await fillServerVariables(context, {}, name, entry);
  if ("problem" in filled)
    throw new GatewayError("conflict", "MCP_SERVER_UNAVAILABLE", `The MCP server cannot be used: ${filled.problem}.`);
  const server = serverToConnect(context, { scope: found.scope, server: name }, entry, filled.target);
  return askToConnect({ ...partsOf(context), requestId: context.caller.requestId }, server, { userId, ...asked });
}

/** Returns a server with the client and scopes that its entry names. */
export function serverToConnect(
  context: Context,
  server: ConnectedServer,
  { oauth = {} }: GatewayServerEntry,
  target: UpstreamTarget,
): ServerToConnect {
  const { client_id: id, client_secret: secret, scopes } = oauth;
  const client = id === undefined ? undefined : (endpoint: string) => namedClient(context, endpoint, id, secret);
  return { ...server, target, client, scopes };
}

/** Returns a client with its secret, which must be bound to the host of the token endpoint. */
async function namedClient(
  context: Context,
  endpoint: string,
  client_id: string,
  template: string | undefined,
): Promise<UpstreamClient> {
  if (template === undefined) return { client_id, token_endpoint_auth_method: "none" };
  const [name = ""] = secretsIn([template]);
  const secret = (await usableSecrets(context, [name])).get(name);
  const problem =
    secret === undefined ? "was not found" : bindingProblem(secret.hosts, new URL(endpoint), __DEVELOPMENT__);
  if (secret !== undefined && problem === null) return { client_id, client_secret: secret.value };
  const message = `The client of the MCP server cannot be used: the secret '${name}' ${problem}. Store it with the host of the issuer.`;
  throw new GatewayError("conflict", "SIGN_IN_NEEDS_CLIENT", message);
}

/** Returns a link for a request that needs the caller's sign-in: an open one, or a new one. `null` if there is none to give. */
export async function signInLink(
  context: Context,
  name: string,
  scope: string | null,
): Promise<{ id: string; url: string } | null> {
  const { origin } = context;
  const { userId } = context.caller.principal;
  const found = origin === undefined ? null : await serverNamed(context, name);
  if (origin === undefined || found === null) return null;
  const { url } = gatewayEntrySchema.parse(found.entry);
  const of = { userId, scope: found.scope, server: name, url };
  const open = scope === null ? await openConnectRequest(context.db, of) : null;
  if (open !== null) return { id: open, url: `${origin}${CONNECT_PAGES}/${open}` };
  try {
    return await connectServer(context, name, { origin, more: await scopesSoFar(context, of, scope) });
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
