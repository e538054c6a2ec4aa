// Questions to the browser in the conversation's SQLite, and the sequence numbers of what the conversation sends.

import { type JsonValue, jsonObject } from "../../domain/json";
import { answerSchema, askerSchema, type BrowserQuestion, type QuestionState } from "../../domain/questions/question";
import type { Tables } from "./tables";

type Row = Omit<BrowserQuestion, "payload" | "answer" | "state" | "answer_schema" | "from"> & {
  payload: string;
  answer: string | null;
  state: string;
} & Record<string, SqlStorageValue>;

/**
 * The number of ended questions checked when a new one is stored. It is more than one, so that they are deleted faster than they arrive.
 */
const DROPPED_AT_ONCE = 16;
/** SQL: pending questions. */
const PENDING = "seq > ? AND state = 'pending'";

export class QuestionStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  readonly #created: () => number;
  /** All questions up to this number have ended and stay so. Pending ones are found without an index. */
  #ended = 0;

  /** @param created returns when the conversation was created, in milliseconds since the epoch */
  constructor(sql: SqlStorage, tables: Tables, created: () => number) {
    this.#sql = sql;
    this.#tables = tables;
    this.#created = created;
  }

  /** The number before the first one of this conversation. */
  firstSeq(): number {
    return this.#created();
  }

  /** The last assigned number. A question's own row contains its number. */
  seq(): number {
    const last = (table: "sequence" | "requests", column: string) =>
      this.#tables.has(table)
        ? (this.#sql.exec<{ seq: number | null }>(`SELECT max(${column}) AS seq FROM ${table}`).one().seq ?? 0)
        : 0;
    return Math.max(this.#created(), last("sequence", "value"), last("requests", "seq"));
  }

  /** Assigns a number to an event that has no row. */
  nextSeq(): number {
    const next = this.seq() + 1;
    this.#tables.make("sequence");
    this.#sql.exec("INSERT INTO sequence VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET value = excluded.value", next);
    return next;
  }

  insert(request: BrowserQuestion): void {
    this.#tables.make("requests");
    this.#sql.exec(
      `INSERT INTO requests (seq, id, skill_name, action, payload, timeout_ms, created, deadline, attempt, state, answer, note, ended)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    if (request.from !== undefined) {
      this.#tables.make("askers");
      this.#sql.exec("INSERT INTO askers VALUES (?, ?)", request.id, JSON.stringify(request.from));
    }
    if (request.answer_schema === undefined) return;
    this.#tables.make("answer_schemas");
    const schema = JSON.stringify(request.answer_schema);
    this.#sql.exec("INSERT INTO answer_schemas VALUES (?, ?)", request.id, schema);
  }

  /** The question with its schema, which lists omit. */
  get(id: string): BrowserQuestion | null {
    if (!this.#tables.has("requests")) return null;
    const row = this.#sql.exec<Row>("SELECT * FROM requests WHERE id = ?", id).toArray()[0];
    if (row === undefined) return null;
    const schema = this.#schemaOf(id);
    const request = this.#withAsker(requestOf(row));
    return schema === null ? request : { ...request, answer_schema: schema };
  }

  /** Records the end of a question; `false` if it had already ended. */
  finish(request: BrowserQuestion): boolean {
    const { state, answer, note, ended, seq } = request;
    const text = answer === null ? null : JSON.stringify(answer);
    return (
      this.#sql
        .exec(
          "UPDATE requests SET state = ?, answer = ?, note = ?, ended = ? WHERE seq = ? AND state = 'pending' RETURNING seq",
          state,
          text,
          note,
          ended,
          seq,
        )
        .toArray().length > 0
    );
  }

  /** Returns all pending questions, oldest first. */
  pending(): BrowserQuestion[] {
    return this.#ofPending<Row>("*", "ORDER BY seq").map((row) => this.#withAsker(requestOf(row)));
  }

  /** Returns when the questions between two times were asked and ended, oldest first. */
  between(from: number, until: number) {
    if (!this.#tables.has("requests")) return [];
    const rows = this.#sql.exec<{
      action: string;
      skill: string | null;
      at: number;
      ended: number | null;
      state: string;
    }>(
      `SELECT action, skill_name AS skill, created AS at, ended, state FROM requests
        WHERE created >= ? AND created < ? ORDER BY seq LIMIT 100`,
      ...[from, until],
    );
    return rows.toArray().map(({ state, ...row }) => ({ ...row, isAnswered: state === "resolved" }));
  }

  pendingCount(): number {
    return this.#ofPending<{ n: number }>("count(*) AS n")[0]?.n ?? 0;
  }

  /** Total size of pending payloads, as JSON. */
  pendingBytes(): number {
    return this.#ofPending<{ n: number }>("coalesce(sum(octet_length(payload)), 0) AS n")[0]?.n ?? 0;
  }

  /** Increases the number of times the pending questions were sent. */
  countSending(): void {
    if (this.#tables.has("requests"))
      this.#sql.exec(`UPDATE requests SET attempt = attempt + 1 WHERE ${PENDING}`, this.#ended);
  }

  /** Pending questions whose deadline has passed. */
  due(now: number): BrowserQuestion[] {
    return this.#ofPending<Row>("*", "ORDER BY seq")
      .map(requestOf)
      .filter(({ deadline }) => deadline <= now);
  }

  nextDeadline(): number | null {
    return this.#ofPending<{ at: number | null }>("min(deadline) AS at")[0]?.at ?? null;
  }

  /** Newest first, before a sequence number. */
  list(state: QuestionState | null, limit: number, before: number | null): BrowserQuestion[] {
    if (!this.#tables.has("requests")) return [];
    return this.#sql
      .exec<Row>(
        "SELECT * FROM requests WHERE (?1 IS NULL OR state = ?1) AND seq < ?2 ORDER BY seq DESC LIMIT ?3",
        state,
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .toArray()
      .map((row) => this.#withAsker(requestOf(row)));
  }

  /** Deletes some of the questions that ended before a time, oldest first. The last one stays, because its number has been assigned. */
  dropEndedBefore(at: number): void {
    if (!this.#tables.has("requests")) return;
    this.#sql.exec(
      `DELETE FROM requests WHERE ended < ? AND seq IN (SELECT seq FROM requests ORDER BY seq LIMIT ${DROPPED_AT_ONCE})
        AND seq < (SELECT max(seq) FROM requests)`,
      at,
    );
    if (this.#tables.has("answer_schemas"))
      this.#sql.exec("DELETE FROM answer_schemas WHERE id NOT IN (SELECT id FROM requests)");
    if (this.#tables.has("askers")) this.#sql.exec("DELETE FROM askers WHERE id NOT IN (SELECT id FROM requests)");
  }

  /** Clears cached positions, for example after everything was deleted. */
  forget(): void {
    this.#ended = 0;
  }

  #withAsker(request: BrowserQuestion): BrowserQuestion {
    if (!this.#tables.has("askers")) return request;
    const found = this.#sql.exec<{ asker: string }>("SELECT asker FROM askers WHERE id = ?", request.id).toArray()[0];
    return found === undefined ? request : { ...request, from: askerSchema.parse(JSON.parse(found.asker)) };
  }

  #schemaOf(id: string): BrowserQuestion["answer_schema"] | null {
    if (!this.#tables.has("answer_schemas")) return null;
    const found = this.#sql.exec<{ schema: string }>("SELECT schema FROM answer_schemas WHERE id = ?", id).toArray()[0];
    return found === undefined ? null : jsonObject.parse(JSON.parse(found.schema));
  }

  #ofPending<T extends Record<string, SqlStorageValue>>(columns: string, order = ""): T[] {
    if (!this.#tables.has("requests")) return [];
    const { first, last } = this.#sql
      .exec<{ first: number | null; last: number | null }>(
        "SELECT min(CASE WHEN state = 'pending' THEN seq END) AS first, max(seq) AS last FROM requests WHERE seq > ?",
        this.#ended,
      )
      .one();
    this.#ended = first === null ? (last ?? this.#ended) : first - 1;
    return this.#sql.exec<T>(`SELECT ${columns} FROM requests WHERE ${PENDING} ${order}`, this.#ended).toArray();
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
