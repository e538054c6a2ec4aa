// Stores long values of a conversation's `meta` in several rows: `key`, `key/001` and so on. A row has at most 2 MB in a deployment.

import { inParts } from "../../domain/json";
import { ROW_LIMITS } from "../../domain/limits";

/** SQL: the further rows of a long value. `0` follows `/`. */
const FURTHER = "(key > ?1 || '/' AND key < ?1 || '0')";
const PUT = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/** The text stored under a key, or `null`. */
export function readParts(sql: SqlStorage, key: string): string | null {
  const rows = sql
    .exec<{ value: string }>(`SELECT value FROM meta WHERE key = ?1 OR ${FURTHER} ORDER BY key`, key)
    .toArray();
  return rows.length === 0 ? null : rows.map(({ value }) => value).join("");
}

/** Stores a text under a key and replaces an earlier one. */
export function writeParts(sql: SqlStorage, key: string, text: string): void {
  const [first, ...further] = inParts(text, ROW_LIMITS.partChars);
  sql.exec(PUT, key, first);
  sql.exec(`DELETE FROM meta WHERE ${FURTHER}`, key);
  for (const [index, part] of further.entries()) sql.exec(PUT, `${key}/${String(index + 1).padStart(3, "0")}`, part);
}

export function deleteParts(sql: SqlStorage, key: string): void {
  sql.exec(`DELETE FROM meta WHERE key = ?1 OR ${FURTHER}`, key);
}

/** The texts stored under keys of a kind, by the part of the key after `kind:`. */
export function readKind(sql: SqlStorage, kind: string): Map<string, string> {
  const texts = new Map<string, string>();
  // `;` follows `:`.
  for (const { key, value } of sql.exec<{ key: string; value: string }>(
    "SELECT key, value FROM meta WHERE key > ? AND key < ? ORDER BY key",
    `${kind}:`,
    `${kind};`,
  )) {
    const name = key.slice(kind.length + 1).split("/", 1)[0] ?? "";
    texts.set(name, (texts.get(name) ?? "") + value);
  }
  return texts;
}
