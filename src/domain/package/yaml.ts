// Parses one YAML mapping into JSON: core schema, no custom tags, unique keys, limited aliases, and the line of every key.

import type { Node, Pair } from "yaml";
import type { Issue } from "../errors";
import type { JsonObject, JsonValue } from "../json";
import { PACKAGE_LIMITS } from "../limits";
import { printable } from "./path";
import { SKILL_FILE } from "./skill";

/** The location of a key. `source` is a plain value as written, so that `1.10` does not become `1.1`. */
export interface FieldPlace {
  line: number;
  source?: string;
}

/** The result of reading a mapping. `value` is `null` if and only if there are issues. `places` is indexed by keys joined with dots. */
export interface YamlReading {
  value: JsonObject | null;
  places: ReadonlyMap<string, FieldPlace>;
  issues: Issue[];
  warnings: Issue[];
}

interface Conversion {
  yaml: typeof import("./yaml-parser");
  lineAt(node: { range?: [number, number, number] | null } | null | undefined): number;
  /** Converted values of anchors. An alias reuses the value and adds its full cost again. */
  anchors: Map<string, { value: JsonValue; cost: number; height: number }>;
  places: Map<string, FieldPlace>;
  cost: number;
  issues: Issue[];
  warnings: Issue[];
}

interface Converted {
  value: JsonValue;
  /** Nesting levels of the value. */
  height: number;
}

let parser: typeof import("./yaml-parser") | null = null;

const MAX_DEPTH = 32;
/** Limit on characters and nodes of the JSON with aliases expanded. Text without aliases cannot reach it. */
const MAX_COST = 4 * PACKAGE_LIMITS.frontmatterBytes;
const MAX_REPORTED = 20;

/**
 * Parses YAML that must be a mapping. Issues: `FRONTMATTER_YAML` (syntax), `FRONTMATTER_NOT_MAPPING`, `FRONTMATTER_TAG`,
 * `FRONTMATTER_KEY`, `FRONTMATTER_ALIAS`, `FRONTMATTER_TOO_COMPLEX`; all with a line. Warnings:
 * `FRONTMATTER_KEY_DROPPED`, `FRONTMATTER_NOT_JSON`.
 *
 * @param linesBefore lines of SKILL.md before the text
 */
export async function parseMapping(text: string, linesBefore: number): Promise<YamlReading> {
  parser ??= await import("./yaml-parser");
  const yaml = parser;
  const lineCounter = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    schema: "core",
    resolveKnownTags: false,
    // The library's check compares every key with every other. `convertMapping` checks them in one pass.
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter,
  });
  const line = (offset: number) => linesBefore + Math.max(1, lineCounter.linePos(offset).line);
  const syntax = document.errors.map((error) => issue("FRONTMATTER_YAML", error.message, line(error.pos[0])));
  const tags = document.warnings.map((warning) => issue("FRONTMATTER_TAG", warning.message, line(warning.pos[0])));
  if (syntax.length + tags.length > 0) return failed(firstOfLines([...syntax, ...tags]));
  if (!yaml.isMap(document.contents)) {
    return failed([issue("FRONTMATTER_NOT_MAPPING", "The frontmatter is not a mapping. Write `key: value` lines.", 1)]);
  }

  const conversion: Conversion = {
    yaml,
    lineAt: (node) => line(node?.range?.[0] ?? 0),
    anchors: new Map(),
    places: new Map(),
    cost: 0,
    issues: [],
    warnings: [],
  };
  const { object } = convertMapping(conversion, document.contents.items, [], 0);
  const { issues, warnings, places } = conversion;
  return issues.length > 0 ? failed(issues) : { value: object, places, issues, warnings };
}

/** Keeps the first issue of each code and line: one mistake makes the parser report several follow-up errors in the same line. */
function firstOfLines(issues: readonly Issue[]): Issue[] {
  const lines = new Set<string>();
  return issues.filter(({ code, line }) => {
    const place = `${code} ${line}`;
    return !lines.has(place) && lines.add(place);
  });
}

function failed(issues: Issue[]): YamlReading {
  return { value: null, places: new Map(), issues: issues.slice(0, MAX_REPORTED), warnings: [] };
}

function convertNode(conversion: Conversion, node: Node | null, path: readonly string[], depth: number): Converted {
  const { yaml, anchors } = conversion;
  if (yaml.isAlias(node)) return convertAlias(conversion, node.source, conversion.lineAt(node), depth);
  if (depth > MAX_DEPTH) return tooComplex(conversion, node);
  const before = conversion.cost;
  pay(conversion, 1, node);
  let converted: Converted = { value: null, height: 0 };
  if (yaml.isMap<Node, Node>(node)) {
    const { object, height } = convertMapping(conversion, node.items, path, depth);
    converted = { value: object, height };
  } else if (yaml.isSeq<Node>(node)) {
    const items = node.items.map((item, index) => {
      const at = [...path, `${index}`];
      conversion.places.set(at.join("."), { line: conversion.lineAt(item) });
      return convertNode(conversion, item, at, depth + 1);
    });
    const height = 1 + Math.max(0, ...items.map((item) => item.height));
    converted = { value: items.map((item) => item.value), height };
  } else if (yaml.isScalar(node)) {
    converted = { value: convertScalar(conversion, node.value, node.source, conversion.lineAt(node)), height: 0 };
  }
  const anchor = node === null ? undefined : node.anchor;
  if (anchor !== undefined) anchors.set(anchor, { ...converted, cost: conversion.cost - before });
  return converted;
}

function convertMapping(
  conversion: Conversion,
  items: readonly Pair<unknown, unknown>[],
  path: readonly string[],
  depth: number,
): { object: JsonObject; height: number } {
  const { yaml, issues, places } = conversion;
  const entries = new Map<string, JsonValue>();
  let height = 0;
  for (const { key: keyNode, value } of items) {
    const node = yaml.isNode(keyNode) ? keyNode : null;
    const line = conversion.lineAt(node);
    const key = keyText(conversion, keyNode);
    if (key === null) {
      issues.push(issue("FRONTMATTER_KEY", "A key is not plain text. Use a word or a quoted string.", line));
      continue;
    }
    if (entries.has(key))
      issues.push(issue("FRONTMATTER_KEY", `The key '${printable(key)}' is used twice. Remove one.`, line));
    const source = yaml.isScalar(value) ? value.source : undefined;
    places.set([...path, key].join("."), source === undefined ? { line } : { line, source });
    pay(conversion, key.length, node);
    const converted = convertNode(conversion, yaml.isNode(value) ? value : null, [...path, key], depth + 1);
    height = Math.max(height, converted.height);
    if (key === "__proto__") {
      conversion.warnings.push(
        issue("FRONTMATTER_KEY_DROPPED", "The key '__proto__' is reserved and was ignored. Use another key.", line),
      );
    } else {
      entries.set(key, converted.value);
    }
  }
  return { object: Object.fromEntries(entries), height: height + 1 };
}

function keyText(conversion: Conversion, key: unknown): string | null {
  if (!conversion.yaml.isScalar(key)) return key === null ? "" : null;
  if (typeof key.value === "string") return key.value;
  return key.source ?? String(key.value);
}

function convertScalar(conversion: Conversion, value: unknown, source: string | undefined, line: number): JsonValue {
  if (typeof value === "string") {
    pay(conversion, value.length, null, line);
    return value;
  }
  if (typeof value === "boolean" || value === null) return value;
  // `-0` is not valid JSON. Adding 0 turns it into 0.
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  const message = `'${source}' is not a JSON value. It was read as text.`;
  conversion.warnings.push(issue("FRONTMATTER_NOT_JSON", message, line));
  return source ?? String(value);
}

function convertAlias(conversion: Conversion, name: string, line: number, depth: number): Converted {
  const anchor = conversion.anchors.get(name);
  if (anchor === undefined) {
    conversion.issues.push(
      issue(
        "FRONTMATTER_ALIAS",
        `The alias '*${printable(name)}' is not defined before its use. Define it with \`&\` first.`,
        line,
      ),
    );
    return { value: null, height: 0 };
  }
  if (depth + anchor.height > MAX_DEPTH) return tooComplex(conversion, null, line);
  pay(conversion, anchor.cost, null, line);
  return { value: anchor.value, height: anchor.height };
}

function pay(conversion: Conversion, cost: number, node: Node | null, line?: number): void {
  conversion.cost += cost;
  if (conversion.cost > MAX_COST) tooComplex(conversion, node, line);
}

/** Reported once: everything after the first overflow exceeds the limit too. */
function tooComplex(conversion: Conversion, node: Node | null, line?: number): Converted {
  const { issues } = conversion;
  if (!issues.some(({ code }) => code === "FRONTMATTER_TOO_COMPLEX")) {
    const message = "The frontmatter is nested too deeply or its aliases expand too far. Simplify it.";
    issues.push(issue("FRONTMATTER_TOO_COMPLEX", message, line ?? conversion.lineAt(node)));
  }
  return { value: null, height: 0 };
}

function issue(code: string, message: string, line: number): Issue {
  return { code, message, path: SKILL_FILE, line };
}
