// Manages the MCP servers of the gateway: admins store them, every conversation can use them.

import { GATEWAY_SCOPE } from "../../domain/access/access";
import { GatewayError, type Issue, invalid } from "../../domain/errors";
import { type JsonObject, utf8Bytes } from "../../domain/json";
import { ROW_LIMITS } from "../../domain/limits";
import { instancesProblem, variableProblems } from "../../domain/servers/entry";
import { MCP_LIMITS } from "../../domain/servers/limits";
import { type GatewayServerEntry, gatewayEntrySchema, guardOf, type UserServerEntry } from "../../domain/servers/owner";
import { variablesIn } from "../../domain/servers/template";
import {
  approveTools,
  deleteServer,
  listServers,
  putServer,
  readServer,
  type ServerRow,
} from "../../storage/d1/mcp-servers";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { type ServerTest, tryServer } from "./test-server";

/** Stores a whole entry under its name. Unknown variables are rejected. */
export async function storeServer(context: Context, name: string, entry: GatewayServerEntry) {
  requireAdmin(context.caller.principal);
  const issues = [...entryIssues(entry), ...guardIssues(entry)];
  if (issues.length > 0) throw invalid(issues);
  const server = { name, entry: jsonOfEntry(entry), createdBy: context.caller.principal.userId };
  const after = { type: entry.type ?? "streamable-http", headers: Object.keys(entry.headers ?? {}) };
  const recorded = audited(context, "mcp_server.put", name, { after, when: "is" });
  const stored = await putServer(recorded, server, MCP_LIMITS.servers);
  if (stored !== null) return stored;
  const message = `MCP server limit reached (${MCP_LIMITS.servers}). Delete a server first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: MCP_LIMITS.servers });
}

export async function oneServer(context: Context, name: string): Promise<ServerRow> {
  requireAdmin(context.caller.principal);
  const found = await readServer(context.db, name);
  if (found === null) throw serverNotFound();
  return found;
}

/** Returns a page by name; `after` is the last name of the previous page. */
export function pageOfServers(context: Context, limit: number, after: string | null): Promise<ServerRow[]> {
  requireAdmin(context.caller.principal);
  return listServers(context.db, limit, after);
}

/** Deletes a server. Returns the ids of the skills that were approved from it. */
export async function removeServer(context: Context, name: string): Promise<string[]> {
  requireAdmin(context.caller.principal);
  const skills = await deleteServer(audited(context, "mcp_server.delete", name, { when: "was" }), name);
  if (skills === null) throw serverNotFound();
  return skills.map(({ id }) => id);
}

/** Tests a stored server. */
export async function testServer(
  context: Context,
  name: string,
  later: (work: Promise<void>) => void,
): Promise<ServerTest> {
  const { entry, approved } = await oneServer(context, name);
  const asked = gatewayEntrySchema.parse(entry);
  const { told } = await tryServer(
    context,
    { name, entry: asked, guard: guardOf(entry, approved), scope: GATEWAY_SCOPE },
    later,
  );
  return told;
}

/** Approves the tools that a server lists now. Its guard compares with them from then on. */
export async function approveServer(
  context: Context,
  name: string,
  later: (work: Promise<void>) => void,
): Promise<ServerRow> {
  const { entry } = await oneServer(context, name);
  const asked = gatewayEntrySchema.parse(entry);
  const { told, listed } = await tryServer(context, { name, entry: asked, guard: null, scope: GATEWAY_SCOPE }, later);
  if (listed === null) {
    const message = `The server cannot be reached, so nothing was approved: ${told.error ?? "it failed"}. Fix the server and approve again.`;
    throw new GatewayError("conflict", "MCP_SERVER_UNAVAILABLE", message);
  }
  const approved = Object.fromEntries(listed.map((tool) => [tool.name, tool.digest ?? ""]));
  const recorded = audited(context, "mcp_server.approve", name, { after: { tools: listed.length }, when: "is" });
  if (!(await approveTools(recorded, name, approved))) throw serverNotFound();
  return oneServer(context, name);
}

/** A guard compares one list for all users, so it cannot be combined with per-user variables. */
function guardIssues({ guard, url, urls = [], headers = {} }: GatewayServerEntry): Issue[] {
  const { others } = variablesIn([url, ...urls.map((one) => one.url), ...Object.values(headers)]);
  if (guard !== true || others.length === 0) return [];
  const names = others.map((name) => `\${{${name}}}`).join(", ");
  const message = `The server receives the caller's identity (${names}) and may return different tools for each user, so \`guard\` cannot be used. Remove the variables or \`guard\`.`;
  return [{ code: "GUARD_IMPOSSIBLE", message, path: "guard" }];
}

/** Returns the issues of an entry of any owner. */
export function entryIssues(entry: UserServerEntry): Issue[] {
  const together = instancesProblem(entry);
  const issues = variableProblems(entry).map(
    ({ code, keys, problem }): Issue => ({
      code,
      message: `The server cannot be used: ${problem}.`,
      path: keys.join("."),
    }),
  );
  if (together !== null) issues.push({ code: "INVALID_FIELD", message: `${together}.`, path: "urls" });
  if (utf8Bytes(JSON.stringify(entry)) > ROW_LIMITS.serverBytes)
    issues.push({
      code: "MCP_SERVER_TOO_LARGE",
      message: "MCP server entry too large (limit 64 KiB as JSON). Shorten it.",
      path: "",
    });
  return issues;
}

/** Returns the entry as JSON without undefined fields. */
export function jsonOfEntry({ type, ...entry }: UserServerEntry): JsonObject {
  const given = Object.entries(entry).filter(([, value]) => value !== undefined);
  return { type: type ?? "streamable-http", ...(Object.fromEntries(given) as JsonObject) };
}

export function serverNotFound(): GatewayError {
  return new GatewayError("not_found", "MCP_SERVER_NOT_FOUND", "MCP server not found. Check the name.");
}
