// The MCP servers of users and groups, which their owners keep themselves, and what a caller may use of all that there are.

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

/** Who may keep servers beside the gateway. */
export type ServerOwner = Exclude<SecretOwner, { kind: "gateway" }>;

/** Stores an entry under its name, whole. */
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
  const message = `There are ${MCP_LIMITS.ownServers} servers already. Delete one first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: MCP_LIMITS.ownServers });
}

export async function readUserServerEntry(context: Context, owner: ServerOwner, name: string): Promise<UserServerRow> {
  const found = await readUserServer(context.db, ownedScope(context, owner), name);
  if (found === null) throw noneOfThisName();
  return found;
}

/** A page by name; `after` is the last name of the page before. */
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

/** Tries a server out as it is stored. */
export async function testUserServer(
  context: Context,
  owner: ServerOwner,
  name: string,
  later: (work: Promise<void>) => void,
): Promise<ServerTest> {
  const { scope, entry } = await readUserServerEntry(context, owner, name);
  const tried = { name, entry: userServerEntrySchema.parse(entry), guard: null, shared: scope };
  return (await tryServer(context, tried, later)).told;
}

/** A server that somebody may use, and whose it is. */
export interface UsableServer {
  name: string;
  scope: string;
  entry: JsonObject;
}

/** The servers that every conversation of the caller has, by name, and that are reached at `/mcp/servers/{name}`. */
export async function usableServers(context: Context): Promise<UsableServer[]> {
  const visible = visibleScopes(context.caller.principal);
  const { own, gateway } = await everyServer(context.db, visible);
  const nearestLast = inOrderOf(visible, own).toReversed();
  const all = [...gateway.map((server) => ({ ...server, scope: GATEWAY_SCOPE })), ...nearestLast];
  const general = all.filter(({ entry }) => isForGhost(entry, null));
  const byName = new Map(general.map((server) => [server.name, server]));
  return [...byName.values()].filter(({ entry }) => entry.enabled !== false).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function noneOfThisName(): GatewayError {
  return serverNotFound("You keep");
}
