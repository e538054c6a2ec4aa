// Lists the servers that hosts can find in the gateway's registry: for anybody, or for a caller.

import { GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import { gatewayEntrySchema } from "../../domain/servers/owner";
import type { ListedServer } from "../../domain/servers/registry-document";
import { datedServers, openServers } from "../../storage/d1/servers/listed-servers";
import type { Context } from "../context";
import { nearestServers } from "./user-servers";

interface DatedRow {
  name: string;
  entry: Record<string, unknown>;
  createdAt: number;
  updatedAt: number;
}

/** Returns the servers of the gateway whose entry is `public`. */
export async function openListedServers({ nearest }: Pick<Context, "nearest">): Promise<ListedServer[]> {
  const gateway = (await openServers(nearest)).map((server) => ({ ...server, scope: GATEWAY_SCOPE }));
  return nearestServers([], gateway).flatMap(listed);
}

/** Returns the servers that the caller can use through the proxy. */
export async function callersListedServers({ caller, db }: Context): Promise<ListedServer[]> {
  const visible = visibleScopes(caller.principal);
  const { own, gateway } = await datedServers(db, visible);
  const all = [...gateway.map((server) => ({ ...server, scope: GATEWAY_SCOPE })), ...own];
  return nearestServers(visible, all).flatMap(listed);
}

/** The proxy does not pass WebSockets, so such servers are only in conversations. */
function listed({ name, entry, createdAt, updatedAt }: DatedRow): ListedServer[] {
  const { type, description } = gatewayEntrySchema.parse(entry);
  if (type === "websocket") return [];
  return [{ name, type: type === "sse" ? "sse" : "streamable-http", description, createdAt, updatedAt }];
}
