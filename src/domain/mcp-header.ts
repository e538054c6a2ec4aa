// Arguments that a tool of a modern server wants as headers too (`x-mcp-header`, 2026-07-28): a tool that declares them wrongly
// must not be used.

import type { JsonObject, JsonValue } from "./skill";

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<JsonValue | undefined>(["string", "integer", "boolean"]);
/** Keywords whose values are schemas by name. */
const NAMED = new Set(["patternProperties", "dependentSchemas", "$defs", "definitions"]);
/** Keywords whose values are a schema, or several. */
const INNER = new Set([
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else", ...NAMED],
]);

/** What is wrong with the headers that an input schema declares, in words; `null` when nothing is. */
export function headerProblem(schema: JsonObject): string | null {
  return look(schema, 0, true, new Set());
}

function look(node: JsonValue | undefined, depth: number, reachable: boolean, seen: Set<string>): string | null {
  if (Array.isArray(node)) return first(node.map((one) => () => look(one, depth, reachable, seen)));
  if (typeof node !== "object" || node === null) return null;
  const own = KEY in node ? declared(node, reachable && depth > 0, seen) : null;
  if (own !== null) return own;
  const { properties } = node;
  const below = isSchemas(properties) ? Object.values(properties) : [];
  const inner = Object.entries(node).flatMap(([keyword, value]) => {
    if (!INNER.has(keyword)) return [];
    return NAMED.has(keyword) && isSchemas(value) ? Object.values(value) : [value];
  });
  return first([
    ...below.map((one) => () => look(one, depth + 1, reachable, seen)),
    ...inner.map((one) => () => look(one, depth + 1, false, seen)),
  ]);
}

function declared(node: JsonObject, allowed: boolean, seen: Set<string>): string | null {
  const name = node[KEY];
  if (!allowed) return `${KEY} stands where it may not`;
  if (typeof name !== "string" || !TOKEN.test(name)) return `${KEY} is no header name`;
  if (!TYPES.has(node.type)) return `${KEY} is on a property that is no string, integer or boolean`;
  if (seen.has(name.toLowerCase())) return `${KEY} names one header twice`;
  seen.add(name.toLowerCase());
  return null;
}

function isSchemas(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function first(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check();
    if (problem !== null) return problem;
  }
  return null;
}
