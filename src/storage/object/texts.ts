// The instructions of active skills in a conversation's SQLite, with the declarations of their versions: one row per skill.

import { deleteParts, readKind, writeParts } from "./parts";
import type { Tables } from "./tables";

export interface StoredText {
  instructions: string;
  /** What the version declares beside them, as JSON; `null` if not recorded. */
  facts: string | null;
}

export class TextStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** Cached at the first read: no other code writes here. */
  #kept: Map<string, StoredText> | null = null;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  get(versionId: string): StoredText | null {
    return this.#all().get(versionId) ?? null;
  }

  keep(versionId: string, text: StoredText): void {
    if (this.#all().has(versionId)) return;
    writeParts(this.#sql, `text:${versionId}`, `${text.facts ?? ""}\n${text.instructions}`);
    this.#all().set(versionId, text);
  }

  /** Deletes texts of versions that are no longer active. */
  dropExcept(versionIds: readonly string[]): void {
    for (const versionId of this.#all().keys()) {
      if (versionIds.includes(versionId)) continue;
      deleteParts(this.#sql, `text:${versionId}`);
      if (this.#tables.has("texts")) this.#sql.exec("DELETE FROM texts WHERE version_id = ?", versionId);
      this.#all().delete(versionId);
    }
  }

  forget(): void {
    this.#kept = null;
  }

  #all(): Map<string, StoredText> {
    this.#kept ??= new Map([
      ...this.#earlier(),
      ...[...readKind(this.#sql, "text")].map(([id, text]) => [id, read(text)] as const),
    ]);
    return this.#kept;
  }

  /** Texts that an earlier gateway stored in a separate table. */
  #earlier(): [string, StoredText][] {
    if (!this.#tables.has("texts")) return [];
    return this.#sql
      .exec<{ version_id: string; instructions: string }>("SELECT version_id, instructions FROM texts")
      .toArray()
      .map(({ version_id, instructions }) => [version_id, { instructions, facts: null }]);
  }
}

/** JSON contains no line break, so it can be a line. */
function read(text: string): StoredText {
  const end = text.indexOf("\n");
  return { instructions: text.slice(end + 1), facts: end === 0 ? null : text.slice(0, end) };
}
