// The event log in a conversation's SQLite: append-only, read from the newest snapshot of the folded state.

import { type ConversationEvent, eventSchema } from "../../domain/conversation/event";
import type { Tables } from "./tables";

/** A row has at most 2 MB. Larger states have no snapshot, so more events are read. */
const SNAPSHOT_BYTES = 1_500_000;

export interface StoredEvent {
  seq: number;
  at: number;
  event: ConversationEvent;
}

export class EventLog {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** The last event whose passes were recorded. */
  #noted = 0;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  /** Appends an event and returns its number. */
  append(at: number, event: ConversationEvent): number {
    return this.#sql
      .exec<{ seq: number }>("INSERT INTO events (at, event) VALUES (?, ?) RETURNING seq", at, JSON.stringify(event))
      .one().seq;
  }

  /** Returns the number of the last event, or 0. */
  last(): number {
    return this.#sql.exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM events").one().seq ?? 0;
  }

  /** Events after a number, oldest first: at most `limit`, and at most about `characters` characters, but at least one event. */
  after(seq: number, limit: number, characters = Number.POSITIVE_INFINITY): StoredEvent[] {
    const found: StoredEvent[] = [];
    let room = characters;
    const rows = this.#sql.exec<{ seq: number; at: number; event: string }>(
      "SELECT seq, at, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?",
      seq,
      limit,
    );
    for (const row of rows) {
      room -= row.event.length;
      if (room < 0 && found.length > 0) break;
      found.push({ seq: row.seq, at: row.at, event: eventSchema.parse(JSON.parse(row.event)) });
    }
    return found;
  }

  /**
   * Returns the time when the last turn began, in milliseconds since the epoch; `null` before the first turn. Reads backwards, because a
   * turn has few events.
   */
  lastTurn(): number | null {
    const found = this.#sql.exec<{ at: number }>(
      "SELECT at FROM events WHERE event ->> '$.type' IN ('turn', 'restored') ORDER BY seq DESC LIMIT 1",
    );
    return found.toArray()[0]?.at ?? null;
  }

  /** Clears cached positions, for example after everything was deleted. */
  forget(): void {
    this.#noted = 0;
  }

  /** Returns the first and the last event of the latest pass over a turn; `null` if the conversation was never in it. */
  passOf(turn: number): { begin: number; end: number } | null {
    this.#notePasses();
    // The table of passes does not exist before the first turn.
    if (!this.#tables.has("passes")) return null;
    const { begin } = this.#sql
      .exec<{ begin: number | null }>("SELECT max(seq) AS begin FROM passes WHERE turn = ?", turn)
      .one();
    if (begin === null) return null;
    const { next } = this.#sql
      .exec<{ next: number | null }>("SELECT min(seq) AS next FROM passes WHERE seq > ?", begin)
      .one();
    return { begin, end: next === null ? this.last() : next - 1 };
  }

  /**
   * Records the beginnings of passes that are not recorded yet. Few conversations are ever queried for them, so turns do not write these
   * rows.
   */
  #notePasses(): void {
    const last = this.last();
    if (last === this.#noted) return;
    this.#tables.make("passes");
    this.#sql.exec(
      `INSERT INTO passes SELECT seq, event ->> '$.turn' FROM events
        WHERE seq > (SELECT max(?, coalesce(max(seq), 0)) FROM passes) AND event ->> '$.type' IN ('turn', 'restored')`,
      this.#noted,
    );
    this.#noted = last;
  }

  /** Returns the newest snapshot of this format that is not newer than an event; `null` if there is none. */
  snapshot(shape: number, until: number): { seq: number; state: string } | null {
    if (!this.#tables.has("snapshots")) return null;
    const rows = this.#sql.exec<{ seq: number; state: string }>(
      "SELECT seq, state FROM snapshots WHERE seq <= ? AND shape = ? ORDER BY seq DESC LIMIT 1",
      until,
      shape,
    );
    return rows.toArray()[0] ?? null;
  }

  /** Stores a snapshot and deletes one of another shape. */
  keepSnapshot(seq: number, shape: number, state: string): void {
    if (state.length * 3 > SNAPSHOT_BYTES && new TextEncoder().encode(state).length > SNAPSHOT_BYTES) return;
    this.#tables.make("snapshots");
    this.#sql.exec("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", seq, shape, state);
  }
}
