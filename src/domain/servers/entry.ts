// Remote MCP servers as they are configured: by the gateway, a ghost or a skill. The more specific replaces a whole entry.

import * as z from "zod";
import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { MCP_LIMITS } from "./limits";
import { type TemplateProblem, templateProblem } from "./template";

const PREFIXES = ["always", "on-conflict", "never"] as const;
const REMOTE = ["streamable-http", "http", "sse"] as const;
const seconds = () => z.number().min(1).max(MCP_LIMITS.timeoutSeconds);
const toolNames = () => z.array(z.string().min(1).max(256)).max(MCP_LIMITS.namedTools);

/** An entry of `mcpServers`. Variables stand in `url` and `headers` only. */
export const serverEntrySchema = z.lazy(() =>
  z.object({
    type: z.enum(REMOTE).optional(),
    url: z.string().min(1).max(4_096),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "is not a header name"), z.string().max(8_192))
      .optional(),
    /** Seconds for a call, and for connecting. */
    timeout: seconds().optional(),
    connect_timeout: seconds().optional(),
    /** Only these tools, and none of those. A name, or a pattern in which `*` stands for any text. */
    allow: toolNames().optional(),
    deny: toolNames().optional(),
    /** Pins the protocol's generation for a server that answers the question wrongly. */
    era: z.enum(["auto", "legacy", "modern"]).optional(),
    /** `false`: it is as if it were not there, and still in place of a less specific one of its name. */
    enabled: z.boolean().optional(),
    /** Whether its tools are called `server__tool`: `on-conflict` where the bare name is taken; with `never` such a tool is left out. */
    prefix: z.enum(PREFIXES).optional(),
  }),
);
export type ServerEntry = z.infer<typeof serverEntrySchema>;

/** How others write the times of an entry, which are seconds there too. The first that is given counts. */
const SPELLINGS = {
  timeout: ["timeoutSeconds", "timeout_seconds"],
  connect_timeout: ["connectTimeout", "connectTimeoutSeconds", "connect_timeout_seconds"],
} as const;
const NO_MAPPING = "its entry is not a mapping";
/** What others put around a map of servers, and users paste with it. */
const WRAPPERS = ["mcpServers", "mcp_servers"];

export const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Who brings a server. A ghost's has the ghost's scope where that is shared: whose secrets a server uses goes by who brings it. */
export type ServerSource =
  | { kind: "gateway" }
  | { kind: "group"; group: string }
  | { kind: "user" }
  | { kind: "ghost"; shared: string | null }
  | { kind: "skill"; skill: string };

/** A server that a conversation is to have: with its entry, or with the reason in words why it cannot run here. */
export type ConfiguredServer = { name: string; source: ServerSource } & (
  | { entry: ServerEntry; problem: null }
  | { entry: null; problem: string }
);

/**
 * A map of servers without the maps around it: `mcpServers: { mcpServers: { … } }` is what a pasted configuration file makes. `keys`
 * lead to it from where it was.
 */
export function unwrapServers(servers: JsonObject): { servers: JsonObject; keys: string[] } {
  const keys: string[] = [];
  let found = servers;
  for (;;) {
    const [key, ...others] = Object.keys(found);
    const inner = key === undefined || others.length > 0 || !WRAPPERS.includes(key) ? null : found[key];
    // A server may be called so.
    if (key === undefined || !isJsonObject(inner) || Object.values(inner).some((value) => !isJsonObject(value)))
      return { servers: found, keys };
    keys.push(key);
    found = inner;
  }
}

const knownKeys = () => Object.keys(serverEntrySchema.unwrap().shape);

/** An entry with its times under our own keys, and the keys that nobody reads here. */
function spelt(raw: JsonObject): { entry: JsonObject; unread: string[] } {
  const entry = { ...raw };
  const known = knownKeys();
  for (const [key, spellings] of Object.entries(SPELLINGS)) {
    for (const spelling of spellings) {
      if (entry[key] !== undefined || entry[spelling] === undefined) continue;
      entry[key] = entry[spelling];
      delete entry[spelling];
    }
  }
  return { entry, unread: Object.keys(entry).filter((key) => !known.includes(key)) };
}

/** An entry as it is used here; what is wrong with it is in the schema's words. */
export function readEntry(raw: JsonObject) {
  return serverEntrySchema.safeParse(spelt(raw).entry);
}

/** The keys of an entry that are not read, in words. One that is meant for other runtimes has none: they may read it all. */
export function unreadKeys(name: string, raw: JsonObject): { key: string; problem: string }[] {
  if (foreign(raw) !== null) return [];
  const known = knownKeys().join(", ");
  return spelt(raw).unread.map((key) => ({
    key,
    problem: `Unknown key '${short(key)}' in the MCP server '${short(name)}'. Allowed keys: ${known}.`,
  }));
}

/** What is to be said of servers that are stored all the same. */
export function serverWarnings(wrapped: JsonObject, path: string): Issue[] {
  const { servers, keys } = unwrapServers(wrapped);
  return Object.entries(servers).flatMap(([name, raw]) =>
    (isJsonObject(raw) ? unreadKeys(name, raw) : []).map(({ key, problem }) => ({
      code: "MCP_KEY_UNKNOWN",
      message: problem,
      path: [path, ...keys, short(name), short(key)].join("."),
    })),
  );
}

/** What is told of a name once for each of its keys. */
function short(name: string): string {
  return name.slice(0, 64);
}

/** Reads `mcpServers` of a manifest, a ghost or the gateway. Every mapping in it becomes a server, if only one with a problem. */
export function readServers(wrapped: JsonObject, source: ServerSource): ConfiguredServer[] {
  return Object.entries(unwrapServers(wrapped).servers).map(([name, raw]): ConfiguredServer => {
    const problem = foreign(raw);
    if (problem !== null || !isJsonObject(raw)) return { name, source, entry: null, problem: problem ?? NO_MAPPING };
    const parsed = readEntry(raw);
    if (parsed.success) return { name, source, entry: parsed.data, problem: null };
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "it"}: ${issue.message}`);
    return { name, source, entry: null, problem: `its entry is not valid: ${problems.join("; ")}` };
  });
}

/** What is wrong with the variables of an entry, each at its keys. No value is needed to tell. */
export function variableProblems({ url, headers = {} }: ServerEntry): (TemplateProblem & { keys: string[] })[] {
  const places = [
    { keys: ["url"], found: templateProblem(url, "url") },
    ...Object.entries(headers).map(([header, value]) => ({
      keys: ["headers", header],
      found: templateProblem(value, "header"),
    })),
  ];
  return places.flatMap(({ keys, found }) => (found === null ? [] : [{ keys, ...found }]));
}

/**
 * The servers that must not even be stored: one whose values could say where it leads has no other use than to have them told.
 * What else is wrong with an entry costs its server, when it is used.
 */
export function refusedServers(wrapped: JsonObject, path: string): Issue[] {
  const { servers, keys: outer } = unwrapServers(wrapped);
  return Object.entries(servers).flatMap(([name, raw]) => {
    const entry = isJsonObject(raw) ? readEntry(raw).data : undefined;
    const problems = entry === undefined ? [] : variableProblems(entry);
    return problems
      .filter(({ code }) => code === "VARIABLE_IN_ORIGIN")
      .map(({ code, keys, problem }) => ({
        code,
        message: `The MCP server '${name}' is not valid: ${problem}.`,
        path: [path, ...outer, name, ...keys].join("."),
      }));
  });
}

/** Skill over what is general, and of that the later over the earlier, by whole entry. Servers of one name that two skills bring are two. */
export function mergeServers<T extends { name: string }>(general: readonly T[], skills: readonly T[]): T[] {
  const named = new Set(skills.map((server) => server.name));
  const last = new Map(general.map((server) => [server.name, server]));
  return [...[...last.values()].filter((server) => !named.has(server.name)), ...skills];
}

/** Why an entry that is meant for other runtimes is none for this one. */
function foreign(raw: JsonValue): string | null {
  if (!isJsonObject(raw)) return NO_MAPPING;
  const { type, url, command } = raw;
  if (type === "stdio" || (type === undefined && url === undefined && command !== undefined))
    return "it is a stdio server, and the gateway starts no processes; run it behind an HTTP address";
  if (type !== undefined && !REMOTE.some((known) => known === type))
    return `its type is not one of ${REMOTE.join(", ")}`;
  return null;
}
