// Checks the MCP servers in a skill: entries that cannot be used by the gateway, and literal credentials.

import { isJsonObject, type JsonObject } from "../json";
import { REMOTE, readEntry, unreadKeys, unwrapServers, variableProblems } from "../servers/entry";
import { literalCredentials, literalCredentialText } from "./credentials";
import type { FieldReader } from "./manifest-field";

const REMOTE_TYPES: ReadonlySet<string> = new Set(REMOTE);
/**
 * Checks every server and returns those that are mappings. Warnings: `MCP_SERVER_INVALID` (omitted), `MCP_STDIO`, `MCP_TYPE_UNKNOWN`,
 * `MCP_URL_MISSING`, `MCP_ENTRY_INVALID`, `MCP_KEY_UNKNOWN`, `BAD_VARIABLE`, `CREDENTIAL_LITERAL`. Issue: `VARIABLE_IN_ORIGIN`.
 */
export function checkServers(fields: FieldReader, wrapped: JsonObject): JsonObject {
  const accepted: JsonObject = {};
  const { servers, keys: outer } = unwrapServers(wrapped);
  for (const [name, server] of Object.entries(servers)) {
    const place = ["mcpServers", ...outer, name];
    if (!isJsonObject(server)) {
      fields.warn(
        "MCP_SERVER_INVALID",
        place,
        `The MCP server '${name}' is not a mapping and was ignored. Write its settings as \`key: value\` lines.`,
      );
      continue;
    }
    accepted[name] = server;
    checkTransport(fields, place, name, server);
  }
  for (const found of literalCredentials(servers)) {
    fields.warn("CREDENTIAL_LITERAL", ["mcpServers", ...outer, ...found.keys], literalCredentialText(found));
  }
  return accepted;
}

function checkTransport(fields: FieldReader, place: readonly string[], name: string, server: JsonObject): void {
  const { type, url, command } = server;
  if (type === "stdio" || (type === undefined && url === undefined && command !== undefined)) {
    const message = `The MCP server '${name}' is a stdio server. It is stored but not started, because the gateway starts no processes.`;
    fields.warn("MCP_STDIO", place, message);
    return;
  }
  if (type !== undefined && !(typeof type === "string" && REMOTE_TYPES.has(type))) {
    fields.warn("MCP_TYPE_UNKNOWN", place, `The MCP server '${name}' has an unknown type. It is stored but not used.`);
  }
  if (typeof url !== "string" || url === "") {
    fields.warn("MCP_URL_MISSING", place, `The MCP server '${name}' has no \`url\`. It is stored but not used.`);
    return;
  }
  checkEntry(fields, place, name, server);
}

/** Reports problems of an entry at publishing time rather than in a conversation. An unknown type is already reported. */
function checkEntry(
  fields: FieldReader,
  place: readonly string[],
  name: string,
  { type, ...untyped }: JsonObject,
): void {
  const server = typeof type === "string" && REMOTE_TYPES.has(type) ? { ...untyped, type } : untyped;
  for (const { key, problem } of unreadKeys(name, server)) fields.warn("MCP_KEY_UNKNOWN", [...place, key], problem);
  const { data: entry, error } = readEntry(server);
  for (const { path, message } of error?.issues ?? []) {
    const keys = path.map(String);
    const sentence = `${keys.join(".")} of '${name}' is not valid (${message}). The server is stored but not used.`;
    fields.warn("MCP_ENTRY_INVALID", [...place, ...keys], sentence);
  }
  if (entry === undefined) return;
  for (const { code, keys, problem } of variableProblems(entry)) {
    // An unknown variable may belong to another runtime. One of the gateway's variables in the origin has no legitimate use.
    const note = code === "VARIABLE_IN_ORIGIN" ? fields.refuse : fields.warn;
    note(code, [...place, ...keys], `The MCP server '${name}' cannot be reached: ${problem}.`);
  }
}
