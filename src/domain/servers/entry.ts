// Entries of remote MCP servers, configured by the gateway, a ghost or a skill. A more specific entry replaces the other one completely.

import * as z from "zod";
import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { MCP_LIMITS } from "./limits";
import { type TemplateProblem, templateProblem } from "./template";

const PREFIXES = ["always", "on-conflict", "never"] as const;
export const REMOTE = ["streamable-http", "http", "sse", "websocket"] as const;
const seconds = () => z.number().min(1).max(MCP_LIMITS.timeoutSeconds);
const address = () => z.string().min(1).max(4_096);
const toolNames = () => z.array(z.string().min(1).max(256)).max(MCP_LIMITS.namedTools);

/** An entry of `mcpServers`. Variables are allowed in `url` and `headers` only. */
export const serverEntrySchema = z.lazy(() =>
  z.object({
    type: z.enum(REMOTE).optional(),
    url: address(),
    /** All addresses of a server with several instances, `url` among them. Each receives its share of sessions and requests. */
    urls: z
      .array(z.strictObject({ url: address(), weight: z.number().int().min(1).max(MCP_LIMITS.weight).optional() }))
      .min(2)
      .max(MCP_LIMITS.instances)
      .optional(),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "is not a header name"), z.string().max(8_192))
      .optional(),
    /** Timeouts in seconds for a call and for connecting. */
    timeout: seconds().optional(),
    connect_timeout: seconds().optional(),
    /** Only these tools, except denied ones. A name, or a pattern in which `*` stands for any text. */
    allow: toolNames().optional(),
    deny: toolNames().optional(),
    /** Sets the protocol generation for a server whose detection fails. */
    era: z.enum(["auto", "legacy", "modern"]).optional(),
    /** `false`: the server is not used, but still replaces a less specific one with the same name. */
    enabled: z.boolean().optional(),
    /** Whether tools are called `server__tool`: `on-conflict` if the bare name is taken; with `never` such a tool is left out. */
    prefix: z.enum(PREFIXES).optional(),
  }),
);
export type ServerEntry = z.infer<typeof serverEntrySchema>;

/** Other hosts' spellings of an entry's times, also in seconds. The first one present counts. */
const SPELLINGS = {
  timeout: ["timeoutSeconds", "timeout_seconds"],
  connect_timeout: ["connectTimeout", "connectTimeoutSeconds", "connect_timeout_seconds"],
} as const;
const NO_MAPPING = "its entry is not a mapping";
/** Keys with which other hosts wrap a map of servers, and which users paste with it. */
const WRAPPERS = ["mcpServers", "mcp_servers"];

export const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Who provides a server. It determines whose secrets the server uses: a shared ghost's server uses those of the ghost's scope. */
export type ServerSource =
  | { kind: "gateway" }
  | { kind: "group"; group: string }
  | { kind: "user" }
  | { kind: "ghost"; shared: string | null }
  | { kind: "skill"; skill: string };

/** A server of a conversation: its entry, or the reason why it cannot be used. */
export type ConfiguredServer = { name: string; source: ServerSource } & (
  | { entry: ServerEntry; problem: null }
  | { entry: null; problem: string }
);

/** Removes wrapping maps, as in a pasted `mcpServers: { mcpServers: { … } }`. `keys`: the removed keys. */
export function unwrapServers(servers: JsonObject): { servers: JsonObject; keys: string[] } {
  const keys: string[] = [];
  let found = servers;
  for (;;) {
    const [key, ...others] = Object.keys(found);
    const inner = key === undefined || others.length > 0 || !WRAPPERS.includes(key) ? null : found[key];
    // It may be a server with this name.
    if (key === undefined || !isJsonObject(inner) || Object.values(inner).some((value) => !isJsonObject(value)))
      return { servers: found, keys };
    keys.push(key);
    found = inner;
  }
}

const knownKeys = () => Object.keys(serverEntrySchema.unwrap().shape);

/** Returns an entry with its times under the gateway's keys, and its unused keys. */
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

/** Returns the parsed entry, or the problems as messages of the schema. */
export function readEntry(raw: JsonObject) {
  return serverEntrySchema.safeParse(spelt(raw).entry);
}

/** Returns the unused keys of an entry, with explanations. Empty for entries of other runtimes, which may use them. */
export function unreadKeys(name: string, raw: JsonObject): { key: string; problem: string }[] {
  if (foreign(raw) !== null) return [];
  const known = knownKeys().join(", ");
  return spelt(raw).unread.map((key) => ({
    key,
    problem: `Unknown key '${short(key)}' in the MCP server '${short(name)}'. Allowed keys: ${known}.`,
  }));
}

/** Returns warnings about servers that are stored nevertheless. */
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

/** Returns a short form of a name, which is repeated for each of its keys. */
function short(name: string): string {
  return name.slice(0, 64);
}

/** Reads `mcpServers` of a manifest, a ghost or the gateway. Every mapping in it becomes a server, possibly one with a problem. */
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

/** Returns why the addresses of an entry cannot be used together; `null` if they can. */
export function instancesProblem({ type, url, urls }: ServerEntry): string | null {
  if (urls === undefined) return null;
  if (type === "sse" || type === "websocket")
    return `\`urls\` needs the type \`streamable-http\`, because a server of type \`${type}\` has one connection for all calls`;
  if (!urls.some((one) => one.url === url)) return "`url` is not one of `urls`";
  return new Set(urls.map((one) => one.url)).size < urls.length ? "`urls` contains an address twice" : null;
}

/** Returns the address of an entry as an http URL. A `websocket` server can also have a `ws` or `wss` URL. */
export function httpAddress({ type, url }: Pick<ServerEntry, "type" | "url">): string {
  return type === "websocket" ? url.replace(/^ws(?=s?:)/i, "http") : url;
}

/** Returns problems of an entry's variables, with their keys. Needs no values. */
export function variableProblems(entry: ServerEntry): (TemplateProblem & { keys: string[] })[] {
  const { urls = [], headers = {} } = entry;
  const places = [
    { keys: ["url"], found: templateProblem(httpAddress(entry), "url") },
    ...urls.map((one, n) => ({ keys: ["urls", String(n), "url"], found: templateProblem(one.url, "url") })),
    ...Object.entries(headers).map(([header, value]) => ({
      keys: ["headers", header],
      found: templateProblem(value, "header"),
    })),
  ];
  return places.flatMap(({ keys, found }) => (found === null ? [] : [{ keys, ...found }]));
}

/**
 * Returns the servers that must not be stored: those whose URL host comes from a variable. Such a URL only serves to leak values. Other
 * problems disable the server when it is used.
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

/**
 * Merges servers: those of skills replace general ones, and later general ones replace earlier ones, always as whole entries. Servers with
 * the same name from two skills stay separate.
 */
export function mergeServers<T extends { name: string }>(general: readonly T[], skills: readonly T[]): T[] {
  const named = new Set(skills.map((server) => server.name));
  const last = new Map(general.map((server) => [server.name, server]));
  return [...[...last.values()].filter((server) => !named.has(server.name)), ...skills];
}

/** Returns why an entry is for another runtime, or `null`. */
function foreign(raw: JsonValue): string | null {
  if (!isJsonObject(raw)) return NO_MAPPING;
  const { type, url, command } = raw;
  if (type === "stdio" || (type === undefined && url === undefined && command !== undefined))
    return "it is a stdio server, and the gateway starts no processes; run it behind an HTTP address";
  if (type !== undefined && !REMOTE.some((known) => known === type))
    return `its type is not one of ${REMOTE.join(", ")}`;
  return null;
}
