// The event log in a conversation's SQLite: append-only, read from the newest snapshot of what it folds to.

import { type ConversationEvent, eventSchema } from "../../domain/conversation/event";

/** Since schema version 4: snapshots, derived from the log, and where each pass over a turn begins. */
export const LOG_TABLES = `
  CREATE TABLE snapshots (seq INTEGER PRIMARY KEY, shape INTEGER NOT NULL, state TEXT NOT NULL);
  CREATE TABLE passes (seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL);
  CREATE INDEX passes_turn ON passes (turn, seq);
  INSERT INTO passes SELECT seq, event ->> '$.turn' FROM events WHERE event ->> '$.type' IN ('turn', 'restored');`;

/** A row ends at 2 MB. What is larger is no snapshot, and more is folded. */
const SNAPSHOT_BYTES = 1_500_000;

export interface StoredEvent {
  seq: number;
  at: number;
  event: ConversationEvent;
}

export class EventLog {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
  }

  /** Appends an event; its number. */
  append(at: number, event: ConversationEvent): number {
    const { seq } = this.#sql
      .exec<{ seq: number }>("INSERT INTO events (at, event) VALUES (?, ?) RETURNING seq", at, JSON.stringify(event))
      .one();
    if (event.type === "turn" || event.type === "restored")
      this.#sql.exec("INSERT INTO passes VALUES (?, ?)", seq, event.turn);
    return seq;
  }

  /** The number of the last event; 0 when there is none. */
  last(): number {
    return this.#sql.exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM events").one().seq ?? 0;
  }

  /** Events after a number, oldest first: at most so many, and no more of them than about so many characters hold, but one. */
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

  /** The last event of the latest pass over a turn; `null` when the conversation never was in it. */
  endOf(turn: number): number | null {
    const { begin } = this.#sql
      .exec<{ begin: number | null }>("SELECT max(seq) AS begin FROM passes WHERE turn = ?", turn)
      .one();
    if (begin === null) return null;
    const { next } = this.#sql
      .exec<{ next: number | null }>("SELECT min(seq) AS next FROM passes WHERE seq > ?", begin)
      .one();
    return next === null ? this.last() : next - 1;
  }

  /** The newest snapshot of this shape that is not newer than an event; `null` when there is none. */
  snapshot(shape: number, until: number): { seq: number; state: string } | null {
    const rows = this.#sql.exec<{ seq: number; state: string }>(
      "SELECT seq, state FROM snapshots WHERE seq <= ? AND shape = ? ORDER BY seq DESC LIMIT 1",
      until,
      shape,
    );
    return rows.toArray()[0] ?? null;
  }

  /** Keeps a snapshot, in place of one of another shape. */
  keepSnapshot(seq: number, shape: number, state: string): void {
    if (state.length * 3 > SNAPSHOT_BYTES && new TextEncoder().encode(state).length > SNAPSHOT_BYTES) return;
    this.#sql.exec("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", seq, shape, state);
  }
}
