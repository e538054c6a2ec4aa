// MCP tool calls that wait for an answer, in the conversation's SQLite: the state of each, so that it can continue after an eviction.

import { type Round, roundSchema } from "../../domain/servers/round";
import type { Tables } from "./tables";

/** Identifies a call: its id, its turn, and the digest of its request, as for its result. */
export interface RoundKey {
  id: string;
  turn: number;
  request: string;
}

export class RoundStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** The stored calls, cached at the first read: no other code writes here, and most calls ask nothing. */
  #calls: Set<string> | null = null;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  /** The state of the call; `null` if it waits for nothing. */
  get({ id, turn, request }: RoundKey): Round | null {
    if (!this.#all().has(id)) return null;
    const [row] = this.#sql
      .exec<{ round: string }>(
        "SELECT round FROM rounds WHERE call = ? AND turn = ? AND request = ?",
        id,
        turn,
        request,
      )
      .toArray();
    return row === undefined ? null : roundSchema.parse(JSON.parse(row.round));
  }

  keep({ id, turn, request }: RoundKey, round: Round): void {
    this.#all().add(id);
    this.#tables.make("rounds");
    this.#sql.exec("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?)", id, turn, request, JSON.stringify(round));
  }

  drop(id: string): void {
    if (this.#all().delete(id)) this.#sql.exec("DELETE FROM rounds WHERE call = ?", id);
  }

  /** The questions to pages whose calls ended with the object that made them. */
  orphans(): string[] {
    if (this.#all().size === 0) return [];
    const rows = this.#sql.exec<{ round: string }>("SELECT round FROM rounds").toArray();
    return rows.flatMap((row) => {
      const round = roundSchema.parse(JSON.parse(row.round));
      return round.era === "legacy" && round.question !== undefined ? [round.question] : [];
    });
  }

  /** Deletes the rounds of earlier turns. Their results are no longer needed. */
  dropBefore(turn: number): void {
    if (this.#all().size === 0) return;
    this.#sql.exec("DELETE FROM rounds WHERE turn < ?", turn);
    this.#calls = null;
  }

  /** Clears the cache after a rollback or after everything was deleted. */
  forget(): void {
    this.#calls = null;
  }

  #all(): Set<string> {
    const read = () => this.#sql.exec<{ call: string }>("SELECT call FROM rounds").toArray();
    this.#calls ??= new Set(this.#tables.has("rounds") ? read().map(({ call }) => call) : []);
    return this.#calls;
  }
}
