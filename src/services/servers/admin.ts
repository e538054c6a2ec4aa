// The MCP servers of the gateway: stored by admins, used by every conversation, tried out on demand.

import { GatewayError, type Issue, invalid } from "../../domain/errors";
import { type JsonObject, utf8Bytes } from "../../domain/json";
import { MCP_LIMITS, ROW_LIMITS } from "../../domain/limits";
import {
  idleNames,
  isAllowed,
  type ServerEntry,
  serverEntrySchema,
  variableProblems,
} from "../../domain/servers/entry";
import { NO_MEMORY } from "../../domain/servers/memory";
import { deleteServer, listServers, putServer, readServer, type ServerRow } from "../../storage/d1/mcp-servers";
import { Upstream } from "../../upstream/client";
import { UpstreamFault } from "../../upstream/fault";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { fillServer } from "./variables";

/** What trying a server out told. `latency_ms` is the time to connect and list, or to fail. */
export interface ServerTest {
  reachable: boolean;
  latency_ms: number;
  protocol_version?: string | undefined;
  era?: "legacy" | "modern" | undefined;
  server?: { name: string; version: string } | undefined;
  /** Those that the entry offers. */
  tools: { name: string; description: string }[];
  /** What of its list is left out, and names in the entry that do nothing, in words. */
  problems: string[];
  error?: string | undefined;
}

/** Stores an entry under its name, whole. Variables may be unknown to everybody but not to the list of variables. */
export async function storeServer(context: Context, name: string, entry: ServerEntry) {
  requireAdmin(context.caller.principal);
  const issues = variableProblems(entry).map(
    ({ code, keys, problem }): Issue => ({
      code,
      message: `The server cannot be reached: ${problem}.`,
      path: keys.join("."),
    }),
  );
  if (utf8Bytes(JSON.stringify(entry)) > ROW_LIMITS.serverBytes) {
    issues.push({ code: "MCP_SERVER_TOO_LARGE", message: "The entry takes more than 64 KiB as JSON.", path: "" });
  }
  if (issues.length > 0) throw invalid(issues);
  const server = { name, entry: jsonOf(entry), createdBy: context.caller.principal.userId };
  const after = { type: entry.type ?? "streamable-http", headers: Object.keys(entry.headers ?? {}) };
  const recorded = audited(context, "mcp_server.put", name, { after, when: "is" });
  const stored = await putServer(recorded, server, MCP_LIMITS.servers);
  if (stored !== null) return stored;
  const message = `There are ${MCP_LIMITS.servers} servers already. Delete one first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: MCP_LIMITS.servers });
}

export async function oneServer(context: Context, name: string): Promise<ServerRow> {
  requireAdmin(context.caller.principal);
  const found = await readServer(context.db, name);
  if (found === null) throw serverNotFound();
  return found;
}

/** A page by name; `after` is the last name of the page before. */
export function pageOfServers(context: Context, limit: number, after: string | null): Promise<ServerRow[]> {
  requireAdmin(context.caller.principal);
  return listServers(context.db, limit, after);
}

export async function removeServer(context: Context, name: string): Promise<void> {
  requireAdmin(context.caller.principal);
  if (!(await deleteServer(audited(context, "mcp_server.delete", name, { when: "was" }), name))) throw serverNotFound();
}

/**
 * Connects to a server as the caller would, and lists its tools. Remembers nothing; what is wrong is said in words.
 *
 * @param later takes what goes on when the answer is there
 */
export async function testServer(
  context: Context,
  name: string,
  later: (work: Promise<void>) => void,
): Promise<ServerTest> {
  const { entry } = await oneServer(context, name);
  const started = context.now();
  const failed = (error: string): ServerTest => ({
    reachable: false,
    latency_ms: context.now() - started,
    tools: [],
    problems: [],
    error,
  });
  const asked = serverEntrySchema.parse(entry);
  const filled = await fillServer(context, {}, name, asked);
  if ("problem" in filled) return failed(filled.problem);
  const upstream = new Upstream(filled.target, NO_MEMORY, __DEVELOPMENT__, () => context.now());
  try {
    const { tools, problems } = await upstream.list();
    const { era, server } = upstream.memory;
    return {
      reachable: true,
      latency_ms: context.now() - started,
      protocol_version: server?.protocol,
      era: era?.kind,
      server: server === null ? undefined : { name: server.name, version: server.version },
      tools: tools.filter(({ name }) => isAllowed(asked, name)).map(({ name, description }) => ({ name, description })),
      problems: [
        ...problems,
        ...idleNames(
          asked,
          tools.map(({ name }) => name),
        ),
      ],
    };
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    return failed(error.message);
  } finally {
    // Not the caller's to wait for: the answer is there.
    later(upstream.end());
  }
}

function serverNotFound(): GatewayError {
  return new GatewayError("not_found", "MCP_SERVER_NOT_FOUND", "The gateway has no MCP server of this name.");
}

/** The entry as JSON: what was not given is absent. */
function jsonOf({ type, url, headers, timeout, connect_timeout, allow, deny, era }: ServerEntry): JsonObject {
  return {
    type: type ?? "streamable-http",
    url,
    ...(headers === undefined ? {} : { headers }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(connect_timeout === undefined ? {} : { connect_timeout }),
    ...(allow === undefined ? {} : { allow }),
    ...(deny === undefined ? {} : { deny }),
    ...(era === undefined ? {} : { era }),
  };
}
