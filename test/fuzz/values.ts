// Creates values for a schema: mostly valid, often almost valid, sometimes unrelated.

import fc from "fast-check";
import type { JsonSchema } from "./document";

/** A placeholder for a value from an earlier response: an id, a name, a cursor. Filled in when the request is sent. */
export interface Known {
  known: string;
  at: number;
}

export function isKnown(value: unknown): value is Known {
  return typeof value === "object" && value !== null && "known" in value && "at" in value;
}

export function known(kind: string): fc.Arbitrary<unknown> {
  return fc.nat().map((at): Known => ({ known: kind, at }));
}

export const hostileText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "..",
    "../../etc/passwd",
    "%2e%2e%2f",
    "\u0000",
    "\uFEFF",
    "\u202Eabc",
    "__proto__",
    "constructor",
    "null",
    "undefined",
    "NaN",
    "-1",
    "1e309",
    "'; DROP TABLE skills; --",
    '"><script>alert(1)</script>',
    ["$", "{{secrets.X}}"].join(""),
    "</skill>",
    "skl_00000000000000000000000000",
    "a".repeat(129),
    "a".repeat(5_000),
    "ａ",
    "İ",
    "\uD800",
    "👩‍👩‍👧‍👧",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
);

/** The response validator cannot name a key with half of a surrogate pair. */
const hostileKey = hostileText.map((text) => text.toWellFormed());

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [[]], {
    a: { b: {} },
  }),
  fc.array(hostileText, { maxLength: 5 }),
  fc.dictionary(hostileKey, hostileText, { maxKeys: 4 }),
  fc.nat(400).map((depth) => nested(depth)),
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Creates a JSON value for a schema. `name` is the field's name, because most texts are ids or names that must exist. */
export function valueFor(
  schemas: Record<string, JsonSchema>,
  schema: JsonSchema,
  name = "",
  depth = 0,
): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: fitting(schemas, schema, name, depth) }, { weight: 1, arbitrary: hostile });
}

function fitting(
  schemas: Record<string, JsonSchema>,
  schema: JsonSchema,
  name: string,
  depth: number,
): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return fitting(schemas, target(schemas, schema.$ref), name, depth);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => fitting(schemas, one, name, depth)));
  if (schema.allOf !== undefined) return fitting(schemas, merged(schemas, schema.allOf), name, depth);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return text(schema, name);
    case "integer":
    case "number":
      return fc.oneof(
        fc.integer({ min: clamp(schema.minimum ?? 0), max: clamp(schema.maximum ?? 100) }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 100, (schema.maximum ?? 100) + 1),
      );
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(valueFor(schemas, schema.items ?? {}, name, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? 4, 4)),
      });
    case "object":
      return record(schemas, schema, depth);
    default:
      return depth > 3 ? hostileText : hostile;
  }
}

function record(schemas: Record<string, JsonSchema>, schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return depth > 3 ? fc.constant({}) : fc.dictionary(hostileKey, hostile, { maxKeys: 3 });
  const shape = Object.fromEntries(properties.map(([key, one]) => [key, valueFor(schemas, one, key, depth + 1)]));
  // Deep levels have only required fields, because schemas can contain themselves.
  const required = schema.required ?? [];
  const chosen =
    depth > 2 ? Object.fromEntries(required.flatMap((key) => (shape[key] ? [[key, shape[key]]] : []))) : shape;
  const plain = fc.record(chosen, { requiredKeys: required.filter((key) => key in chosen) });
  return fc.oneof(
    { weight: 20, arbitrary: plain },
    { weight: 1, arbitrary: fc.record(shape, { requiredKeys: [] }) },
    // Fields that no caller may set.
    { weight: 1, arbitrary: plain.map((value) => ({ ...value, user_id: "0", role: "admin", is_public: true })) },
  );
}

const TEXT_KINDS: Record<string, string> = {
  id: "id of conversations",
  skill_name: "skill",
  skills: "skill",
  preload_skills: "skill",
  selected_skills: "skill",
  user_id: "user",
  group_name: "group",
  groups: "group",
  namespace: "group",
  name: "name",
  ghost: "ghost",
  cursor: "cursor",
  etag: "etag",
  request_id: "request_id",
  version_id: "version_id",
  version: "version_id",
  call_id: "id",
  key: "name",
  path: "path",
};

function text(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
  const kind = TEXT_KINDS[name];
  const short = fc.string({
    unit: fc.constantFrom(..."abcdefghij-_.0123456789"),
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? 24, 24),
  });
  if (schema.format === "date-time")
    return fc
      .date({ noInvalidDate: true, min: new Date("2020-01-01"), max: new Date("2040-01-01") })
      .map((date) => date.toISOString());
  return kind === undefined ? short : fc.oneof({ weight: 4, arbitrary: known(kind) }, { weight: 1, arbitrary: short });
}

function clamp(value: number): number {
  return Math.max(-2_147_483_648, Math.min(2_147_483_647, value));
}

function target(schemas: Record<string, JsonSchema>, ref: string): JsonSchema {
  return schemas[ref.slice("#/components/schemas/".length)] ?? {};
}

function merged(schemas: Record<string, JsonSchema>, parts: JsonSchema[]): JsonSchema {
  const all = parts.map((part) => (part.$ref === undefined ? part : target(schemas, part.$ref)));
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => part.properties ?? {})),
    required: all.flatMap((part) => part.required ?? []),
  };
}
