// Finds the server that a user connects by name, with its address.

import { GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import { type AuthorizationServer, scopeUnion } from "../../domain/connections/authorization-server";
import type { ConnectedServer } from "../../domain/connections/connection";
import { GatewayError, refusalIn } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
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
import { serverNotFound } from "./admin";
import { namedClient } from "./named-client";
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
  if (entry.oauth?.grant === "client_credentials") {
    const message =
      "The gateway signs in to the MCP server with an account of its own. Use the server without a connection.";
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
  const client = async (issuer: AuthorizationServer) => {
    const found = await namedClient(context, issuer, { id: id ?? "", secret, shared });
    if (!("problem" in found)) return found;
    const message = `The client of the MCP server cannot be used: ${found.problem}. Store it with the host of the issuer.`;
    throw new GatewayError("conflict", "SIGN_IN_NEEDS_CLIENT", message);
  };
  const { target } = filled;
  return { scope: found.scope, server: name, target, client: id === undefined ? undefined : client, scopes };
}

/** Returns a link for a request that needs the caller's sign-in: an open one, or a new one. `null` if there is none to give. */
export async function signInLink(
  context: Context,
  name: string,
  scope: string | null,
): Promise<Pick<ConnectLink, "id" | "url"> | null> {
  const { origin } = context;
  const { userId } = context.caller.principal;
  if (origin === undefined) return null;
  try {
    const server = await serverToConnect(context, name);
    const of = { userId, scope: server.scope, server: name, url: server.target.url };
    const open = scope === null ? await openConnectRequest(context.db, of) : null;
    if (open !== null) return { id: open.id, url: `${origin}${CONNECT_PAGES}/${open.id}` };
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
