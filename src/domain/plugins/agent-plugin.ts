// Agent Plugins 1.0: what `plugin.json` and `mcp.json` say, as we write them and as we take them.

import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { literalCredentials } from "../package/credentials";
import type { PluginFacts } from "./marketplace";

const SCHEMAS = "https://agent-plugins.org/schemas/1.0.0";
export const PLUGIN_SCHEMA = `${SCHEMAS}/plugin.schema.json`;
export const MCP_SCHEMA = `${SCHEMAS}/mcp.schema.json`;

const NAME = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;
const TEXTS = ["version", "description", "homepage", "repository", "license"];
const FIELDS = new Set(["$schema", "name", "author", "keywords", "extensions", ...TEXTS]);
const REMOTE_FIELDS = new Set(["type", "url", "headers"]);

/** `plugin.json` of a plugin that we make. */
export function agentManifest({ name, version, description, author }: PluginFacts): object {
  const told = { $schema: PLUGIN_SCHEMA, name, version, description };
  return author === null ? told : { ...told, author: { name: author } };
}

/** A manifest that was read; `null` where it is refused. */
export interface ReadManifest {
  manifest: { name: string; version: string | null } | null;
  issues: Issue[];
  warnings: Issue[];
}

/** Reads `plugin.json`: all that is wrong at once. Unknown fields are told and ignored, as the specification has it. */
export function readAgentManifest(text: string): ReadManifest {
  const issues: Issue[] = [];
  const warnings: Issue[] = [];
  const path = "plugin.json";
  const wrong = (message: string) => issues.push({ code: "PLUGIN_INVALID", message, path });
  const read = parsed(text);
  if (read === null) {
    wrong("`plugin.json` is no JSON object.");
    return { manifest: null, issues, warnings };
  }
  const { $schema, name, author, keywords, extensions } = read;
  if ($schema !== PLUGIN_SCHEMA) wrong(`\`$schema\` has to be ${PLUGIN_SCHEMA}: this gateway reads version 1.0.0.`);
  if (typeof name !== "string" || !NAME.test(name))
    wrong("`name` has to be 1-64 of a-z, 0-9, single hyphens and periods, a letter or digit at both ends.");
  for (const field of TEXTS)
    if (read[field] !== undefined && typeof read[field] !== "string") wrong(`\`${field}\` has to be text.`);
  if (author !== undefined && !isAuthor(author)) wrong("`author` may have `name`, `email` and `url`, each a text.");
  if (keywords !== undefined && !(Array.isArray(keywords) && keywords.every((word) => typeof word === "string")))
    wrong("`keywords` has to be a list of texts.");
  for (const field of Object.keys(read).filter((key) => !FIELDS.has(key)))
    warnings.push({ code: "UNKNOWN_FIELD", message: `\`${field.slice(0, 100)}\` is no field of version 1.0.0.`, path });
  if (extensions !== undefined && !isJsonObject(extensions))
    warnings.push({ code: "EXTENSIONS_IGNORED", message: "`extensions` is no object, and is ignored.", path });
  if (issues.length > 0 || typeof name !== "string") return { manifest: null, issues, warnings };
  return { manifest: { name, version: typeof read.version === "string" ? read.version : null }, issues, warnings };
}

function isAuthor(author: JsonValue): boolean {
  if (!isJsonObject(author)) return false;
  return Object.entries(author).every(
    ([key, value]) => ["name", "email", "url"].includes(key) && typeof value === "string",
  );
}

/** The remote servers of `mcp.json`. What cannot be taken is told, each with why; nothing of it is fatal. */
export function readAgentServers(text: string): { servers: JsonObject; warnings: Issue[] } {
  const warnings: Issue[] = [];
  const path = "mcp.json";
  const tell = (code: string, message: string) => warnings.push({ code, message, path });
  const read = parsed(text);
  const extra = Object.keys(read ?? {}).filter((key) => key !== "$schema" && key !== "mcpServers");
  if (read === null || read.$schema !== MCP_SCHEMA || !isJsonObject(read.mcpServers ?? null) || extra.length > 0) {
    tell(
      "MCP_INVALID",
      `\`mcp.json\` has to be an object of \`$schema\` (${MCP_SCHEMA}) and \`mcpServers\`, and no more.`,
    );
    return { servers: {}, warnings };
  }
  const servers: JsonObject = {};
  for (const [name, entry] of Object.entries(isJsonObject(read.mcpServers) ? read.mcpServers : {})) {
    if (isJsonObject(entry) && entry.type === "stdio") {
      tell("MCP_STDIO", `The server '${name}' is started as a program, which nothing here does: it was left out.`);
      continue;
    }
    const problem = entryProblem(entry) ?? (hasVariables(entry) ? NOT_FILLED : null);
    if (problem !== null || !isJsonObject(entry))
      tell("MCP_ENTRY_INVALID", `The server '${name}' was left out: ${problem ?? "it is no object"}.`);
    // A name such as `__proto__` is a name like any other.
    else Object.defineProperty(servers, name, { value: entry, enumerable: true, configurable: true, writable: true });
  }
  return { servers, warnings };
}

/** A plugin's author chooses where a request goes: nobody's secrets go along because of what a plugin says. */
const NOT_FILLED = "it has variables, which plugins cannot have filled in";

function hasVariables(entry: JsonValue): boolean {
  return /\$\{|\{\{/.test(JSON.stringify(entry));
}

/** Why an entry is no remote server of version 1.0.0; `null` where it is one. */
function entryProblem(entry: JsonValue): string | null {
  if (!isJsonObject(entry)) return "it is no object";
  const { type, url, headers } = entry;
  if (type !== "streamable-http" && type !== "sse") return "its `type` is none of stdio, streamable-http and sse";
  const unknown = Object.keys(entry).filter((key) => !REMOTE_FIELDS.has(key));
  if (unknown.length > 0) return `${unknown.join(", ").slice(0, 200)} is no field of it`;
  if (typeof url !== "string" || !isEndpoint(url))
    return "its `url` has to be https, or http of this machine, without a user or a fragment";
  if (headers === undefined) return null;
  if (!isJsonObject(headers) || Object.values(headers).some((value) => typeof value !== "string"))
    return "its `headers` have to be texts";
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return new Set(names).size < names.length ? "one of its `headers` is there twice" : null;
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || text.includes("#")) return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
}

/** A server of a skill as `mcp.json` has it, or why it stays here: nothing secret leaves, and no variable means anything elsewhere. */
export function portableServer(name: string, raw: JsonValue): { entry: JsonObject } | { reason: string } {
  if (!isJsonObject(raw)) return { reason: "it is no mapping" };
  const { type = "streamable-http", url, headers } = raw;
  if (typeof url !== "string") return { reason: "it is not a remote server" };
  if (hasVariables([url, headers ?? {}]))
    return { reason: "it needs variables or secrets, which only this gateway fills in" };
  if (literalCredentials({ [name]: raw }).length > 0) return { reason: "it holds a credential" };
  const entry = {
    type: type === "http" ? "streamable-http" : type,
    url,
    ...(headers === undefined ? {} : { headers }),
  };
  const problem = entryProblem(entry);
  return problem === null ? { entry } : { reason: problem };
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
