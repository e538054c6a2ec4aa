// Reads frontmatter fields of the wrong type as what their author most likely meant, and says so.

import type { Issue } from "../errors";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { Frontmatter } from "./frontmatter";
import { SKILL_FILE } from "./skill";

/** Field by field access. Absent and empty (`null`) fields are the same and never warned about. */
export interface FieldReader {
  /** In the order in which they were found. */
  readonly warnings: Issue[];
  /** What the skill is refused for. */
  readonly issues: Issue[];
  value(key: string): JsonValue | undefined;
  /** A string; numbers and booleans as they are written in the file. */
  text(key: string): string | undefined;
  /** Any list. A single value is a list of one. */
  items(key: string): JsonValue[];
  /** A list of strings. A string is split at commas. */
  list(key: string): string[];
  object(key: string): JsonObject;
  /** The same, with numbers and booleans as they are written in the file: that is how they are meant. */
  textsIn(key: string): JsonObject;
  flag(key: string): boolean;
  /** The line of a nested key, or of the nearest key above it. */
  line(keys: readonly string[]): number | undefined;
  warn(code: string, keys: readonly string[], message: string): void;
  refuse(code: string, keys: readonly string[], message: string): void;
}

/** A reader of the fields of one SKILL.md. The warning of every method is `FIELD_TYPE`. */
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
