// Tickets in the conversation's SQLite, by digest, so that a reader of the store cannot use one.

import { type Grant, grantSchema } from "../../domain/questions/ticket";
import type { Tables } from "./tables";

export class TicketStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  put(hash: string, expires: number, grant: Grant): void {
    this.#tables.make("tickets");
    this.#sql.exec("INSERT INTO tickets VALUES (?, ?, ?)", hash, expires, JSON.stringify(grant));
  }

  /** What the ticket grants; `null` if there is none or it has expired. */
  get(hash: string, now: number): Grant | null {
    if (!this.#tables.has("tickets")) return null;
    const row = this.#sql
      .exec<{ holder: string }>("SELECT holder FROM tickets WHERE hash = ? AND expires > ?", hash, now)
      .toArray()[0];
    return row === undefined ? null : grantSchema.parse(JSON.parse(row.holder));
  }

  /** Redeems a ticket; `false` if it was already redeemed. */
  take(hash: string): boolean {
    if (!this.#tables.has("tickets")) return false;
    return this.#sql.exec("DELETE FROM tickets WHERE hash = ? RETURNING hash", hash).toArray().length > 0;
  }

  /** Deletes expired tickets and, beyond `most`, the ones that expire first. */
  prune(now: number, most: number): void {
    if (!this.#tables.has("tickets")) return;
    this.#sql.exec("DELETE FROM tickets WHERE expires <= ?", now);
    this.#sql.exec(
      "DELETE FROM tickets WHERE hash IN (SELECT hash FROM tickets ORDER BY expires DESC LIMIT -1 OFFSET ?)",
      most,
    );
  }
}
