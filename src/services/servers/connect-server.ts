// Finds the server that a user connects by name, with its address.

import { GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { gatewayEntrySchema, inOrderOf } from "../../domain/servers/owner";
import { serversNamed } from "../../storage/d1/servers/user-servers";
import { askToConnect, type ConnectAsked, type ConnectLink } from "../connections/connect";
import type { Context } from "../context";
import { serverNotFound } from "./admin";
import { hasCredentials } from "./signed-in-target";
import { fillServerVariables } from "./variables";

/** Returns a link with which the caller connects a server: the caller's own over a group's over the gateway's. */
export async function connectServer(
  context: Context,
  name: string,
  asked: Pick<ConnectAsked, "origin" | "returnTo">,
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
  const server = { scope: found.scope, server: name, target: filled.target };
  return askToConnect({ ...partsOf(context), requestId: context.caller.requestId }, server, { userId, ...asked });
}

/** The parts of a context that connecting needs. Its getters are read now. */
export function partsOf({ db, settings, now, newId }: Context) {
  return { db, settings, now, newId };
}

async function serverNamed(context: Context, name: string): Promise<{ scope: string; entry: JsonObject } | null> {
  const visible = visibleScopes(context.caller.principal);
  const { own, gateway } = await serversNamed(context.db, visible, name);
  const nearest = inOrderOf(visible, own)[0];
  if (nearest !== undefined) return nearest;
  return gateway === null ? null : { scope: GATEWAY_SCOPE, entry: gateway.entry };
}
