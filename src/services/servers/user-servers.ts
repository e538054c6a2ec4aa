// Manages the MCP servers of users and groups, and lists all servers that a caller can use.

import { GATEWAY_SCOPE, visibleScopes } from "../../domain/access/access";
import { GatewayError, invalid } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { MCP_LIMITS } from "../../domain/servers/limits";
import { inOrderOf, isForGhost, type UserServerEntry, userServerEntrySchema } from "../../domain/servers/owner";
import {
  deleteUserServer,
  everyServer,
  listUserServers,
  putUserServer,
  readUserServer,
  type UserServerRow,
} from "../../storage/d1/servers/user-servers";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { ownedScope, type SecretOwner } from "../secrets/secrets";
import { entryIssues, jsonOfEntry, serverNotFound } from "./admin";
import { type ServerTest, tryServer } from "./test-server";

/** The owner of a user-defined server. */
export type ServerOwner = Exclude<SecretOwner, { kind: "gateway" }>;

/** Stores a whole entry under its name. */
export async function storeUserServer(context: Context, owner: ServerOwner, name: string, entry: UserServerEntry) {
  const scope = ownedScope(context, owner);
  const issues = entryIssues(entry);
  if (issues.length > 0) throw invalid(issues);
  const { userId } = context.caller.principal;
  const after = { type: entry.type ?? "streamable-http", headers: Object.keys(entry.headers ?? {}) };
  const id = `${scope}/${name}`;
  const recorded = audited(context, "own_server.put", `${scopeInLog(scope)}/${name}`, {
    after,
    when: { thing: "is", type: "own_server", id },
  });
  const server = { scope, name, entry: jsonOfEntry(entry), createdBy: userId };
  const stored = await putUserServer(recorded, server, MCP_LIMITS.ownServers);
  if (stored !== null) return stored;
  const message = `MCP server limit reached (${MCP_LIMITS.ownServers}). Delete a server first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: MCP_LIMITS.ownServers });
}

export async function readUserServerEntry(context: Context, owner: ServerOwner, name: string): Promise<UserServerRow> {
  const found = await readUserServer(context.db, ownedScope(context, owner), name);
  if (found === null) throw noneOfThisName();
  return found;
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfUserServers(context: Context, owner: ServerOwner, limit: number, after: string | null) {
  return listUserServers(context.db, ownedScope(context, owner), limit, after);
}

export async function removeUserServer(context: Context, owner: ServerOwner, name: string): Promise<void> {
  const scope = ownedScope(context, owner);
  const recorded = audited(context, "own_server.delete", `${scopeInLog(scope)}/${name}`, {
    when: { thing: "was", type: "own_server", id: `${scope}/${name}` },
  });
  if (!(await deleteUserServer(recorded, scope, name))) throw noneOfThisName();
}

/** Tests a stored server. */
export async function testUserServer(
  context: Context,
  owner: ServerOwner,
  name: string,
  later: (work: Promise<void>) => void,
): Promise<ServerTest> {
  const { scope, entry } = await readUserServerEntry(context, owner, name);
  const tried = { name, entry: userServerEntrySchema.parse(entry), guard: null, scope };
  return (await tryServer(context, tried, later)).told;
}

/** A server that the caller can use, and its owner. */
export interface UsableServer {
  name: string;
  scope: string;
  entry: JsonObject;
}

/** Returns the servers that every conversation of the caller has, by name. They are also reachable at `/mcp/servers/{name}`. */
export async function usableServers(context: Context): Promise<UsableServer[]> {
  const visible = visibleScopes(context.caller.principal);
  const { own, gateway } = await everyServer(context.db, visible);
  return nearestServers(visible, [...gateway.map((server) => ({ ...server, scope: GATEWAY_SCOPE })), ...own]);
}

/** Returns the servers that are on and for no particular ghost, by name. Of one name, the server of the first visible scope counts. */
export function nearestServers<T extends UsableServer>(visible: readonly string[], servers: readonly T[]): T[] {
  const isOwn = ({ scope }: T) => scope !== GATEWAY_SCOPE;
  const nearestLast = inOrderOf(visible, servers.filter(isOwn)).toReversed();
  const all = [...servers.filter((server) => !isOwn(server)), ...nearestLast];
  const general = all.filter(({ entry }) => isForGhost(entry, null));
  const byName = new Map(general.map((server) => [server.name, server]));
  return [...byName.values()].filter(({ entry }) => entry.enabled !== false).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function noneOfThisName(): GatewayError {
  return serverNotFound();
}
