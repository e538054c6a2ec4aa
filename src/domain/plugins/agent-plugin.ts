// Agent Plugins 1.0: writes and reads `plugin.json` and `mcp.json`.

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

/** Returns `plugin.json` of a generated plugin. */
export function agentManifest({ name, version, description, author }: PluginFacts): object {
  const manifestFields = { $schema: PLUGIN_SCHEMA, name, version, description };
  return author === null ? manifestFields : { ...manifestFields, author: { name: author } };
}

/** A manifest; `null` if it is not valid. */
export interface ReadManifest {
  manifest: { name: string; version: string | null } | null;
  issues: Issue[];
  warnings: Issue[];
}

/** Parses `plugin.json` and returns all problems at once. Unknown fields are reported and ignored, as the specification requires. */
export function readAgentManifest(text: string): ReadManifest {
  const issues: Issue[] = [];
  const warnings: Issue[] = [];
  const path = "plugin.json";
  const wrong = (message: string) => issues.push({ code: "PLUGIN_INVALID", message, path });
  const read = parsed(text);
  if (read === null) {
    wrong("`plugin.json` is not a JSON object.");
    return { manifest: null, issues, warnings };
  }
  const { $schema, name, author, keywords, extensions } = read;
  if ($schema !== PLUGIN_SCHEMA) wrong(`\`$schema\` is not supported. Use ${PLUGIN_SCHEMA} (version 1.0.0).`);
  if (typeof name !== "string" || !NAME.test(name))
    wrong(
      "`name` is not valid. Use 1-64 of a-z, 0-9, single hyphens and periods, with a letter or digit at both ends.",
    );
  for (const field of TEXTS)
    if (read[field] !== undefined && typeof read[field] !== "string") wrong(`\`${field}\` is not text.`);
  if (author !== undefined && !isAuthor(author))
    wrong("`author` is not valid. Allowed fields: `name`, `email`, `url`, each a text.");
  if (keywords !== undefined && !(Array.isArray(keywords) && keywords.every((word) => typeof word === "string")))
    wrong("`keywords` is not a list of texts.");
  for (const field of Object.keys(read).filter((key) => !FIELDS.has(key)))
    warnings.push({
      code: "UNKNOWN_FIELD",
      message: `Unknown field \`${field.slice(0, 100)}\` (version 1.0.0). It is ignored.`,
      path,
    });
  if (extensions !== undefined && !isJsonObject(extensions))
    warnings.push({
      code: "EXTENSIONS_IGNORED",
      message: "`extensions` is not an object and is ignored. Write an object, or remove it.",
      path,
    });
  if (issues.length > 0 || typeof name !== "string") return { manifest: null, issues, warnings };
  return { manifest: { name, version: typeof read.version === "string" ? read.version : null }, issues, warnings };
}

function isAuthor(author: JsonValue): boolean {
  if (!isJsonObject(author)) return false;
  return Object.entries(author).every(
    ([key, value]) => ["name", "email", "url"].includes(key) && typeof value === "string",
  );
}

/** Returns the remote servers of `mcp.json`. Unsupported ones are reported with a reason; none is fatal. */
export function readAgentServers(text: string): { servers: JsonObject; warnings: Issue[] } {
  const warnings: Issue[] = [];
  const path = "mcp.json";
  const warn = (code: string, message: string) => warnings.push({ code, message, path });
  const read = parsed(text);
  const extra = Object.keys(read ?? {}).filter((key) => key !== "$schema" && key !== "mcpServers");
  if (read === null || read.$schema !== MCP_SCHEMA || !isJsonObject(read.mcpServers ?? null) || extra.length > 0) {
    warn(
      "MCP_INVALID",
      `\`mcp.json\` is not valid. It must contain exactly \`$schema\` (${MCP_SCHEMA}) and \`mcpServers\`.`,
    );
    return { servers: {}, warnings };
  }
  const servers: JsonObject = {};
  for (const [name, entry] of Object.entries(isJsonObject(read.mcpServers) ? read.mcpServers : {})) {
    if (isJsonObject(entry) && entry.type === "stdio") {
      warn(
        "MCP_STDIO",
        `The server '${name}' is a local program (stdio), which the gateway does not start. It was ignored.`,
      );
      continue;
    }
    const problem = entryProblem(entry) ?? (hasVariables(entry) ? NOT_FILLED : null);
    if (problem !== null || !isJsonObject(entry))
      warn(
        "MCP_ENTRY_INVALID",
        `The server '${name}' was ignored: ${problem ?? "it is not an object"}. Fix its entry.`,
      );
    // Names such as `__proto__` are ordinary names.
    else Object.defineProperty(servers, name, { value: entry, enumerable: true, configurable: true, writable: true });
  }
  return { servers, warnings };
}

/** A plugin's author decides where a request is sent, so no user's secrets are filled in. */
const NOT_FILLED = "it contains variables, which are not replaced in plugins";

function hasVariables(entry: JsonValue): boolean {
  return /\$\{|\{\{/.test(JSON.stringify(entry));
}

/** Returns why an entry is not a remote server of version 1.0.0, or `null`. */
function entryProblem(entry: JsonValue): string | null {
  if (!isJsonObject(entry)) return "it is not an object";
  const { type, url, headers } = entry;
  if (type !== "streamable-http" && type !== "sse") return "its `type` is not stdio, streamable-http or sse";
  const unknown = Object.keys(entry).filter((key) => !REMOTE_FIELDS.has(key));
  if (unknown.length > 0) return `it has unknown fields: ${unknown.join(", ").slice(0, 200)}`;
  if (typeof url !== "string" || !isEndpoint(url))
    return "its `url` is not https (or http on this machine) without user and fragment";
  if (headers === undefined) return null;
  if (!isJsonObject(headers) || Object.values(headers).some((value) => typeof value !== "string"))
    return "its `headers` are not texts";
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return new Set(names).size < names.length ? "one of its `headers` is set twice" : null;
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || text.includes("#")) return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
}

/** Returns a server of a skill as in `mcp.json`, or the reason why it is omitted: servers with secrets or variables are not exported. */
export function portableServer(name: string, raw: JsonValue): { entry: JsonObject } | { reason: string } {
  if (!isJsonObject(raw)) return { reason: "it is not a mapping" };
  const { type = "streamable-http", url, headers } = raw;
  if (typeof url !== "string") return { reason: "it is not a remote server" };
  if (hasVariables([url, headers ?? {}]))
    return { reason: "it needs variables or secrets, which only this gateway replaces" };
  if (literalCredentials({ [name]: raw }).length > 0) return { reason: "it contains a credential" };
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
