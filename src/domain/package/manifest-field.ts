// Reads frontmatter fields. A field of the wrong type is converted to the most likely meaning, with a warning.

import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { Frontmatter } from "./frontmatter";
import { SKILL_FILE } from "./skill";

/** Reads single fields. Absent and empty (`null`) fields are equivalent and never cause a warning. */
export interface FieldReader {
  /** In the order of detection. */
  readonly warnings: Issue[];
  /** Reasons to reject the skill. */
  readonly issues: Issue[];
  value(key: string): JsonValue | undefined;
  /** A string. Numbers and booleans are returned as written in the file. */
  text(key: string): string | undefined;
  /** Any list. A single value is a list with one item. */
  items(key: string): JsonValue[];
  /** A list of strings. A string is split at commas. */
  list(key: string): string[];
  object(key: string): JsonObject;
  /** A mapping whose numbers and booleans are returned as written in the file. */
  textsIn(key: string): JsonObject;
  flag(key: string): boolean;
  /** The line of a nested key, or of its nearest parent with a line. */
  line(keys: readonly string[]): number | undefined;
  warn(code: string, keys: readonly string[], message: string): void;
  refuse(code: string, keys: readonly string[], message: string): void;
}

/** Returns a reader for the fields of one SKILL.md. Every method warns with `FIELD_TYPE`. */
export function fieldReader(frontmatter: Frontmatter): FieldReader {
  const { fields, places } = frontmatter;
  const warnings: Issue[] = [];
  const issues: Issue[] = [];

  const value = (key: string) => (Object.hasOwn(fields, key) ? (fields[key] ?? undefined) : undefined);
  const line = (keys: readonly string[]): number | undefined =>
    keys.length === 0 ? undefined : (places.get(keys.join("."))?.line ?? line(keys.slice(0, -1)));
  const note = (to: Issue[]) => (code: string, keys: readonly string[], message: string) => {
    const at = line(keys);
    to.push({ code, message, path: SKILL_FILE, ...(at === undefined ? {} : { line: at }) });
  };
  const warn = note(warnings);
  const mistyped = (key: string, expected: string, readAs: string) =>
    warn("FIELD_TYPE", [key], `\`${key}\` is not ${expected}. It was ${readAs}.`);

  const text = (key: string): string | undefined => {
    const found = value(key);
    if (found === undefined || typeof found === "string") return found;
    const scalar = typeof found === "object" ? undefined : (places.get(key)?.source ?? String(found));
    mistyped(key, "text", scalar === undefined ? "left out" : "read as text");
    return scalar;
  };
  const items = (key: string): JsonValue[] => {
    const found = value(key);
    if (found === undefined || Array.isArray(found)) return found ?? [];
    mistyped(key, "a list", "read as a list of one");
    return [found];
  };
  const list = (key: string): string[] => {
    const found = value(key);
    if (typeof found === "string") {
      mistyped(key, "a list", "split at commas");
      return found
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
    }
    const all = items(key);
    const scalars = all.filter((item) => typeof item !== "object");
    if (Array.isArray(found) && !found.every((item) => typeof item === "string")) {
      mistyped(key, "a list of texts", scalars.length < all.length ? "reduced to its texts" : "read as texts");
    }
    return scalars.map(String);
  };
  const object = (key: string): JsonObject => {
    const found = value(key);
    if (found === undefined || isJsonObject(found)) return found ?? {};
    mistyped(key, "a mapping", "left out");
    return {};
  };
  const textsIn = (key: string): JsonObject => {
    const entries = Object.entries(object(key)).map(([name, one]) => {
      const isScalar = typeof one === "number" || typeof one === "boolean";
      return [name, isScalar ? (places.get(`${key}.${name}`)?.source ?? String(one)) : one];
    });
    return Object.fromEntries(entries);
  };
  const flag = (key: string): boolean => {
    const found = value(key);
    if (found === undefined || typeof found === "boolean") return found ?? false;
    const meant = found === "true" || found === "yes";
    mistyped(key, "true or false", `read as ${meant}`);
    return meant;
  };
  return { warnings, issues, value, text, items, list, object, textsIn, flag, line, warn, refuse: note(issues) };
}
