// Calls of MCP tools that wait for somebody's answer, in a conversation's SQLite: where each stands, for when its object was gone meanwhile.

import { type Round, roundSchema } from "../../domain/servers/round";
import type { Tables } from "./tables";

/** A call: its id, its turn, and the digest of what was asked, as its result is found by. */
export interface RoundKey {
  id: string;
  turn: number;
  request: string;
}

export class RoundStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** Which calls there are, once they were asked for: nobody else writes here, and most calls ask nothing. */
  #calls: Set<string> | null = null;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  /** Where the call stands; `null` where it waits for nothing. */
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

  /** The questions to pages whose calls end with the object that makes them. */
  orphans(): string[] {
    if (this.#all().size === 0) return [];
    const rows = this.#sql.exec<{ round: string }>("SELECT round FROM rounds").toArray();
    return rows.flatMap((row) => {
      const round = roundSchema.parse(JSON.parse(row.round));
      return round.era === "legacy" && round.question !== undefined ? [round.question] : [];
    });
  }

  /** Drops those of earlier turns: what their calls answer, nobody asks for. */
  dropBefore(turn: number): void {
    if (this.#all().size === 0) return;
    this.#sql.exec("DELETE FROM rounds WHERE turn < ?", turn);
    this.#calls = null;
  }

  /** What was rolled back, or deleted with everything, is in memory still. */
  forget(): void {
    this.#calls = null;
  }

  #all(): Set<string> {
    const read = () => this.#sql.exec<{ call: string }>("SELECT call FROM rounds").toArray();
    this.#calls ??= new Set(this.#tables.has("rounds") ? read().map(({ call }) => call) : []);
    return this.#calls;
  }
}
