// Validates a call's arguments against a tool's `inputSchema` before its code runs. Supports a subset of JSON Schema without `eval` and
// regular expressions, in a bounded number of steps. It only rejects what every validator rejects: unknown keywords and invalid schemas are
// ignored.

import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { failed, type JsonSchema, type ToolResult } from "../tool";

/** After this number of steps, the rest of the arguments is accepted. An ordinary call takes hundreds. */
const STEPS = 50_000;
/** Maximum depth of schemas, so that a recursive `$ref` ends. */
const DEPTH = 128;
const PROBLEMS = 10;
const SHOWN_CHARS = 200;

/** Cost of a problem, because its text is built from possibly long values. */
const PROBLEM_STEPS = 100;

/** The state of one validation. */
interface Look {
  root: JsonSchema;
  steps: number;
}

/** Returns the error for invalid arguments, or `null`. */
export function argumentProblems(tool: string, schema: JsonSchema, args: JsonObject): ToolResult | null {
  const problems = schemaProblems(schema, args);
  if (problems.length === 0) return null;
  const list = problems.map((problem) => `\n- ${problem}`).join("");
  return failed(`Error: The arguments of '${tool}' do not fit its inputSchema. Fix them and call it again:${list}`);
}

/** Returns problems of a value, each with its path and the expected type. */
export function schemaProblems(schema: JsonSchema, value: JsonValue): string[] {
  const problems = problemsAt({ root: schema, steps: STEPS }, schema, value, "", 0);
  if (problems.length <= PROBLEMS) return problems;
  return [...problems.slice(0, PROBLEMS), `and ${problems.length - PROBLEMS} more`];
}

function problemsAt(
  look: Look,
  schema: JsonValue | undefined,
  value: JsonValue,
  path: string,
  depth: number,
): string[] {
  if (--look.steps < 0 || depth > DEPTH) return [];
  if (schema === false) return [refused(look, `${named(path)} is not allowed`)];
  // A schema with its own id is another document, so its references are not resolved here.
  if (!isJsonObject(schema) || (typeof schema.$id === "string" && schema !== look.root)) return [];
  const types = typesOf(schema);
  if (types !== null && !types.some((type) => TYPES[type]?.is(value)))
    return [refused(look, `${named(path)} must be ${phraseOf(types)}, and is ${shapeOf(value)}`)];
  return [
    ...choiceProblems(look, schema, value, path),
    ...sizeProblems(look, schema, value, path),
    ...memberProblems(look, schema, value, path, depth),
    ...combinedProblems(look, schema, value, path, depth),
  ];
}

const TYPES: Readonly<Record<string, { phrase: string; is: (value: JsonValue) => boolean }>> = {
  string: { phrase: "a string", is: (value) => typeof value === "string" },
  number: { phrase: "a number", is: (value) => typeof value === "number" },
  integer: { phrase: "an integer", is: (value) => Number.isInteger(value) },
  boolean: { phrase: "a boolean", is: (value) => typeof value === "boolean" },
  object: { phrase: "an object", is: isJsonObject },
  array: { phrase: "an array", is: Array.isArray },
  null: { phrase: "null", is: (value) => value === null },
};

/** Returns the types that a schema names; `null` if it names none or an unknown one. */
function typesOf({ type }: JsonObject): string[] | null {
  const names = Array.isArray(type) ? type : [type];
  if (names.length > Object.keys(TYPES).length) return null;
  const known = names.flatMap((name) => (typeof name === "string" && Object.hasOwn(TYPES, name) ? [name] : []));
  return known.length === names.length && known.length > 0 ? known : null;
}

/** Counts a problem. */
function refused(look: Look, problem: string): string {
  look.steps -= PROBLEM_STEPS;
  return problem;
}

function choiceProblems(look: Look, schema: JsonObject, value: JsonValue, path: string): string[] {
  const problems: string[] = [];
  const { enum: choices } = schema;
  if (Array.isArray(choices) && !choices.some((choice) => isSame(look, choice, value)))
    problems.push(refused(look, `${named(path)} must be one of ${shown(choices.map(jsonOf).join(", "))}`));
  if (schema.const !== undefined && !isSame(look, schema.const, value))
    problems.push(refused(look, `${named(path)} must be ${shown(jsonOf(schema.const))}`));
  return problems;
}

function sizeProblems(look: Look, schema: JsonObject, value: JsonValue, path: string): string[] {
  const problems: string[] = [];
  const hold = (keyword: string, fits: (bound: number) => boolean, phrase: string) => {
    const bound = schema[keyword];
    if (typeof bound !== "number" || fits(bound)) return;
    problems.push(refused(look, `${named(path)} must ${phrase.replace("#", `${bound}`)}`));
  };
  if (typeof value === "number") {
    hold("minimum", (bound) => value >= bound, "be at least #");
    hold("maximum", (bound) => value <= bound, "be at most #");
    hold("exclusiveMinimum", (bound) => value > bound, "be more than #");
    hold("exclusiveMaximum", (bound) => value < bound, "be less than #");
  } else if (typeof value === "string") {
    // A character has one or two UTF-16 units, so characters are counted only if the bound lies in between.
    const count = () => charactersOf(look, value);
    hold("minLength", (bound) => value.length >= bound * 2 || count() >= bound, "have at least # characters");
    hold("maxLength", (bound) => value.length <= bound || count() <= bound, "have at most # characters");
  } else if (Array.isArray(value)) {
    hold("minItems", (bound) => value.length >= bound, "have at least # items");
    hold("maxItems", (bound) => value.length <= bound, "have at most # items");
  }
  return problems;
}

function memberProblems(look: Look, schema: JsonObject, value: JsonValue, path: string, depth: number): string[] {
  if (Array.isArray(value)) return itemProblems(look, schema, value, path, depth);
  if (!isJsonObject(value)) return [];
  const problems: string[] = [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (--look.steps < 0) break;
    if (typeof name !== "string" || Object.hasOwn(value, name)) continue;
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const types = isJsonObject(declared) ? typesOf(declared) : null;
    const what = types === null ? "" : ` (${phraseOf(types)})`;
    problems.push(refused(look, `${named(inside(path, name))} is missing${what}`));
  }
  // Patterns are not evaluated, so with patterns no name counts as additional.
  const rest = schema.patternProperties === undefined ? schema.additionalProperties : undefined;
  for (const [name, member] of Object.entries(value)) {
    if (--look.steps < 0) break;
    const at = inside(path, name);
    if (Object.hasOwn(properties, name)) problems.push(...problemsAt(look, properties[name], member, at, depth + 1));
    else if (rest === false) problems.push(refused(look, `${named(at)} is not known${knownNames(properties)}`));
    else if (rest !== undefined) problems.push(...problemsAt(look, rest, member, at, depth + 1));
  }
  return problems;
}

function itemProblems(look: Look, schema: JsonObject, value: JsonValue[], path: string, depth: number): string[] {
  const { prefixItems, items } = schema;
  // Older drafts write `prefixItems` as a list in `items`.
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? undefined : items;
  const problems: string[] = [];
  for (const [index, item] of value.entries()) {
    if (look.steps < 0 || (index >= first.length && rest === undefined)) break;
    const expected = index < first.length ? first[index] : rest;
    problems.push(...problemsAt(look, expected, item, `${path}[${index}]`, depth + 1));
  }
  return problems;
}

/** Treats `oneOf` like `anyOf`: only a full validator can exclude a second match. */
function combinedProblems(look: Look, schema: JsonObject, value: JsonValue, path: string, depth: number): string[] {
  const { $ref, allOf, anyOf, oneOf } = schema;
  const problems: string[] = [];
  if (typeof $ref === "string") {
    look.steps -= $ref.length / 8;
    problems.push(...problemsAt(look, schemaAt(look.root, $ref), value, path, depth + 1));
  }
  for (const part of Array.isArray(allOf) ? allOf : [])
    problems.push(...problemsAt(look, part, value, path, depth + 1));
  for (const ways of [anyOf, oneOf]) {
    if (!Array.isArray(ways) || ways.length === 0) continue;
    const tried = new Set<string>();
    const fits = ways.some((way) => {
      const [first] = problemsAt(look, way, value, path, depth + 1);
      if (first !== undefined) tried.add(first);
      return first === undefined;
    });
    if (!fits) problems.push(shown([...tried].join(", or ")));
  }
  return problems;
}

/** Whether two values are equal as JSON. Also `true` if the step limit is reached. */
function isSame(look: Look, one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (--look.steps < 0 || one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  look.steps -= names.length;
  const [left, right] = [one as JsonObject, other as JsonObject];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(look, left[name], right[name]))
  );
}

function charactersOf(look: Look, text: string): number {
  look.steps -= text.length / 64;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function phraseOf(types: readonly string[]): string {
  return types.map((type) => TYPES[type]?.phrase ?? type).join(" or ");
}

function shapeOf(value: JsonValue): string {
  if (value === null) return "null";
  return TYPES[Array.isArray(value) ? "array" : typeof value]?.phrase ?? typeof value;
}

/** Returns the value as JSON, shortened. */
function jsonOf(value: JsonValue): string {
  return JSON.stringify(typeof value === "string" ? value.slice(0, SHOWN_CHARS) : value);
}

function knownNames(properties: JsonObject): string {
  const names = Object.keys(properties);
  return names.length === 0 ? "" : ` (known: ${shown(names.join(", "))})`;
}

function inside(path: string, name: string): string {
  const cut = shown(name);
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(cut)) return `${path}[${JSON.stringify(cut)}]`;
  return path === "" ? cut : `${path}.${cut}`;
}

function named(path: string): string {
  return path === "" ? "the arguments" : `'${path}'`;
}

function shown(text: string): string {
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

/** Returns the referenced part of a schema; `undefined`, which accepts everything, for an external or missing target. */
function schemaAt(root: JsonSchema, reference: string): JsonValue | undefined {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const name = unescaped(part);
    if (typeof found !== "object" || found === null || name === null || !Object.hasOwn(found, name)) return undefined;
    found = Array.isArray(found) ? found[Number(name)] : found[name];
    // The path enters another document.
    if (isJsonObject(found) && typeof found.$id === "string") return undefined;
  }
  return found;
}

function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return null;
  }
}
