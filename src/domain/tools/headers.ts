// Checks declarations of tool parameters that are also sent as headers (`x-mcp-header`, SEP-2243). A tool with an invalid declaration must
// be omitted.
import { isJsonObject, type JsonObject, type JsonValue } from "../json";

const KEYWORD = "x-mcp-header";
/** A header name (RFC 9110). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly (JsonValue | undefined)[] = ["string", "integer", "boolean"];
/** Keywords whose values are data, not schemas. */
const DATA = new Set(["default", "const", "enum", "examples"]);

/** Returns the problem of the headers declared in an input schema, or `null`. */
export function headerProblem(inputSchema: JsonObject): string | null {
  const names = new Set<string>();
  const found = declarations(inputSchema, "root");
  const problem = found.map((one) => problemOf(one, names)).find((one) => one !== null);
  return problem === undefined ? null : `its ${KEYWORD} is not valid: ${problem}`;
}

/** Returns the schema without header declarations, because the gateway passes no client headers on. */
export function withoutHeaders(inputSchema: JsonObject): JsonObject {
  const { [KEYWORD]: _, properties, ...rest } = inputSchema;
  if (!isJsonObject(properties)) return rest;
  const plain = Object.entries(properties).map(([name, one]) => [name, isJsonObject(one) ? withoutHeaders(one) : one]);
  return { ...rest, properties: Object.fromEntries(plain) };
}

interface Declaration {
  header: JsonValue;
  type: JsonValue | undefined;
  place: Place;
}

/** Only properties that are reached from the root through `properties` are allowed; others depend on the arguments. */
type Place = "root" | "property" | "elsewhere";

function declarations(schema: JsonValue, place: Place): Declaration[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((one) => declarations(one, "elsewhere"));
  const { [KEYWORD]: header, properties, ...rest } = schema;
  const next = place === "elsewhere" ? place : "property";
  return [
    ...(header === undefined ? [] : [{ header, type: schema.type, place }]),
    ...(isJsonObject(properties) ? Object.values(properties).flatMap((one) => declarations(one, next)) : []),
    ...Object.entries(rest).flatMap(([key, one]) => (DATA.has(key) ? [] : declarations(one, "elsewhere"))),
  ];
}

function problemOf({ header, type, place }: Declaration, names: Set<string>): string | null {
  if (place !== "property") return "it is not set on a property that every call can have";
  if (typeof header !== "string" || !TOKEN.test(header)) return "it is not a header name";
  if (!TYPES.includes(type)) return "only strings, integers and booleans can be sent as headers";
  const name = header.toLowerCase();
  if (names.has(name)) return "two parameters have the same header";
  names.add(name);
  return null;
}
