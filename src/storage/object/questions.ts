// Questions to the browser in the conversation's SQLite, and the sequence that numbers what the conversation sends.

import { answerSchema, type BrowserQuestion, type QuestionState } from "../../domain/asking/question";
import type { JsonValue } from "../../domain/json";

/** Since schema version 2. The sequence begins at the conversation's creation time, so one made anew under an id goes on rising. */
export const QUESTION_TABLES = `
  CREATE TABLE requests (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, skill_name TEXT, action TEXT NOT NULL,
    payload TEXT NOT NULL, timeout_ms INTEGER NOT NULL, created INTEGER NOT NULL, deadline INTEGER NOT NULL,
    attempt INTEGER NOT NULL, state TEXT NOT NULL, answer TEXT, note TEXT, ended INTEGER);
  CREATE INDEX requests_pending ON requests (deadline) WHERE state = 'pending';
  CREATE INDEX requests_ended ON requests (ended) WHERE ended IS NOT NULL;
  CREATE TABLE sequence (one INTEGER PRIMARY KEY CHECK (one = 1), value INTEGER NOT NULL);`;

type Row = Omit<BrowserQuestion, "payload" | "answer" | "state"> & {
  payload: string;
  answer: string | null;
  state: string;
} & Record<string, SqlStorageValue>;

const CREATED = "(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'created')";

export class QuestionStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
  }

  /** The number before the first that this conversation gave out. */
  firstSeq(): number {
    return this.#sql.exec<{ seq: number }>(`SELECT ${CREATED} AS seq`).one().seq;
  }

  /** The last number given out. */
  seq(): number {
    return this.#sql.exec<{ seq: number }>(`SELECT coalesce((SELECT value FROM sequence), ${CREATED}) AS seq`).one()
      .seq;
  }

  nextSeq(): number {
    return this.#sql
      .exec<{ value: number }>(
        `INSERT INTO sequence VALUES (1, ${CREATED} + 1) ON CONFLICT (one) DO UPDATE SET value = value + 1 RETURNING value`,
      )
      .one().value;
  }

  insert(request: BrowserQuestion): void {
    this.#sql.exec(
      "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      request.seq,
      request.id,
      request.skill_name,
      request.action,
      JSON.stringify(request.payload),
      request.timeout_ms,
      request.created,
      request.deadline,
      request.attempt,
      request.state,
      request.answer === null ? null : JSON.stringify(request.answer),
      request.note,
      request.ended,
    );
  }

  get(id: string): BrowserQuestion | null {
    const row = this.#sql.exec<Row>("SELECT * FROM requests WHERE id = ?", id).toArray()[0];
    return row === undefined ? null : requestOf(row);
  }

  /** Writes a question's end; `false` when it had ended before. */
  finish(request: BrowserQuestion): boolean {
    const { state, answer, note, ended, id } = request;
    const text = answer === null ? null : JSON.stringify(answer);
    return (
      this.#sql
        .exec(
          "UPDATE requests SET state = ?, answer = ?, note = ?, ended = ? WHERE id = ? AND state = 'pending' RETURNING seq",
          state,
          text,
          note,
          ended,
          id,
        )
        .toArray().length > 0
    );
  }

  /** Everything that waits for an answer, oldest first. */
  pending(): BrowserQuestion[] {
    return this.#sql.exec<Row>("SELECT * FROM requests WHERE state = 'pending' ORDER BY seq").toArray().map(requestOf);
  }

  pendingCount(): number {
    return this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM requests WHERE state = 'pending'").one().n;
  }

  /** Payloads of everything pending, as JSON. */
  pendingBytes(): number {
    return this.#sql
      .exec<{ n: number }>("SELECT coalesce(sum(octet_length(payload)), 0) AS n FROM requests WHERE state = 'pending'")
      .one().n;
  }

  /** Counts one more sending of everything pending. */
  countSending(): void {
    this.#sql.exec("UPDATE requests SET attempt = attempt + 1 WHERE state = 'pending'");
  }

  /** Pending questions whose deadline has come. */
  due(now: number): BrowserQuestion[] {
    return this.#sql
      .exec<Row>("SELECT * FROM requests WHERE state = 'pending' AND deadline <= ? ORDER BY seq", now)
      .toArray()
      .map(requestOf);
  }

  nextDeadline(): number | null {
    return this.#sql
      .exec<{ at: number | null }>("SELECT min(deadline) AS at FROM requests WHERE state = 'pending'")
      .one().at;
  }

  /** Newest first, before a sequence number. */
  list(state: QuestionState | null, limit: number, before: number | null): BrowserQuestion[] {
    return this.#sql
      .exec<Row>(
        "SELECT * FROM requests WHERE (?1 IS NULL OR state = ?1) AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
        state,
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .toArray()
      .map(requestOf);
  }

  dropEndedBefore(at: number): void {
    this.#sql.exec("DELETE FROM requests WHERE ended < ?", at);
  }
}

function requestOf(row: Row): BrowserQuestion {
  const payload: JsonValue = JSON.parse(row.payload);
  const answer = row.answer === null ? null : answerSchema.parse(JSON.parse(row.answer));
  return { ...row, payload, answer, state: stateOf(row.state) };
}

function stateOf(text: string): QuestionState {
  if (text === "pending" || text === "resolved" || text === "expired" || text === "cancelled") return text;
  throw new Error(`a request in the unknown state '${text}'`);
}
