// One conversation's own SQLite: its settings, its event log, what it keeps of the registry, and answers worth repeating.
// Everything here is synchronous, so a decision and the event that records it cannot be torn apart.

import * as z from "zod";
import { CONNECTION_TABLES, ConnectionStore } from "./connections";
import { EventLog, LOG_TABLES } from "./log";
import { readParts, writeParts } from "./parts";
import { QUESTION_TABLES, QuestionStore } from "./questions";
import { TICKET_TABLES, TicketStore } from "./tickets";

/** Meta values by key. Each is JSON, checked again when it is read, since an older version of the gateway may have written it. */
export type MetaKey =
  | "owner"
  | "created"
  | "settings"
  | "effective"
  | "catalog"
  | "listed"
  | "passes"
  | "schema"
  | "provided"
  | "front"
  | "uses";

/** What each version of the tables added to the one before, from version 2 on. Forward only. */
const ADDED = [`${QUESTION_TABLES} ${TICKET_TABLES}`, CONNECTION_TABLES, LOG_TABLES];

export interface StoredCallReply {
  request: string;
  /** `null` when the answer was too large to keep. */
  answer: string | null;
}

/** The tables of one conversation. Made once by `create`; every other call expects them. */
export class ConversationStore {
  readonly #sql: SqlStorage;
  readonly #storage: DurableObjectStorage;
  readonly log: EventLog;
  readonly questions: QuestionStore;
  readonly tickets: TicketStore;
  readonly upstreams: ConnectionStore;
  /** What `texts` holds and which ids `calls` has, once they were asked for: nobody else writes there. */
  #texts: Map<string, string> | null = null;
  #callIds: Set<string> | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.log = new EventLog(storage);
    this.questions = new QuestionStore(storage);
    this.tickets = new TicketStore(storage);
    this.upstreams = new ConnectionStore(storage);
  }

  /** Whether the conversation was ever created. Asking writes nothing. */
  exists(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'events'").toArray().length > 0;
  }

  create(): void {
    this.#texts = null;
    this.#callIds = null;
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS turn_keys (key TEXT PRIMARY KEY, turn INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS texts (version_id TEXT PRIMARY KEY, instructions TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS calls (id TEXT PRIMARY KEY, turn INTEGER NOT NULL, request TEXT NOT NULL, result TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, at INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT) WITHOUT ROWID;`);
    this.upgrade();
  }

  /** Adds the tables that a conversation of an earlier gateway lacks. */
  upgrade(): void {
    const version = this.get("schema", z.number()) ?? 1;
    if (version > ADDED.length) return;
    this.atomically(() => {
      for (const tables of ADDED.slice(version - 1)) this.#sql.exec(tables);
      this.set("schema", ADDED.length + 1);
    });
  }

  /** What all of it takes. */
  bytes(): number {
    return this.#sql.databaseSize;
  }

  /** Runs a change as a whole or not at all. */
  atomically<T>(change: () => T): T {
    try {
      return this.#storage.transactionSync(change);
    } catch (error) {
      // What was rolled back is in memory still.
      this.#texts = null;
      this.#callIds = null;
      throw error;
    }
  }

  get<T>(key: MetaKey, schema: z.ZodType<T>): T | null {
    const text = readParts(this.#sql, key);
    return text === null ? null : schema.parse(JSON.parse(text));
  }

  set(key: MetaKey, value: unknown): void {
    writeParts(this.#sql, key, JSON.stringify(value));
  }

  /** When something last happened here, in milliseconds since the epoch. */
  lastChange(): number {
    const row = this.#sql
      .exec<{ at: number }>(
        `SELECT max(coalesce((SELECT at FROM events ORDER BY seq DESC LIMIT 1), 0),
           coalesce((SELECT created FROM requests ORDER BY seq DESC LIMIT 1), 0)) AS at`,
      )
      .one();
    return row.at === 0 ? (this.get("created", z.number()) ?? 0) : row.at;
  }

  turnOf(key: string): number | null {
    return this.#sql.exec<{ turn: number }>("SELECT turn FROM turn_keys WHERE key = ?", key).toArray()[0]?.turn ?? null;
  }

  rememberTurn(key: string, turn: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO turn_keys VALUES (?, ?)", key, turn);
  }

  /** How often turns were undone: a turn that happens again is another one. */
  passes(): number {
    return this.get("passes", z.number()) ?? 0;
  }

  /** Forgets the keys of later turns, and the results of all calls. */
  forgetTurnsAfter(turn: number): void {
    this.set("passes", this.passes() + 1);
    this.#sql.exec("DELETE FROM turn_keys WHERE turn > ?", turn);
    this.#sql.exec("DELETE FROM calls");
    this.#callIds = null;
  }

  instructions(versionId: string): string | null {
    return this.#kept().get(versionId) ?? null;
  }

  keepInstructions(versionId: string, instructions: string): void {
    if (this.#kept().has(versionId)) return;
    this.#sql.exec("INSERT INTO texts VALUES (?, ?)", versionId, instructions);
    this.#kept().set(versionId, instructions);
  }

  /** Drops instructions of versions that are not active any more. */
  dropInstructionsExcept(versionIds: readonly string[]): void {
    for (const versionId of this.#kept().keys()) {
      if (versionIds.includes(versionId)) continue;
      this.#sql.exec("DELETE FROM texts WHERE version_id = ?", versionId);
      this.#kept().delete(versionId);
    }
  }

  #kept(): Map<string, string> {
    this.#texts ??= new Map(
      this.#sql
        .exec<{ version_id: string; instructions: string }>("SELECT version_id, instructions FROM texts")
        .toArray()
        .map(({ version_id, instructions }) => [version_id, instructions]),
    );
    return this.#texts;
  }

  /** The stored result of a call made in this turn with this id and these arguments. */
  callResult(id: string, turn: number, request: string): string | null {
    if (!this.#calls().has(id)) return null;
    return (
      this.#sql
        .exec<{ result: string }>(
          "SELECT result FROM calls WHERE id = ? AND turn = ? AND request = ?",
          id,
          turn,
          request,
        )
        .toArray()[0]?.result ?? null
    );
  }

  keepCallResult(id: string, turn: number, request: string, result: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO calls VALUES (?, ?, ?, ?)", id, turn, request, result);
    this.#calls().add(id);
  }

  dropCallsBefore(turn: number): void {
    if (this.#calls().size === 0) return;
    this.#sql.exec("DELETE FROM calls WHERE turn < ?", turn);
    this.#callIds = null;
  }

  #calls(): Set<string> {
    this.#callIds ??= new Set(
      this.#sql
        .exec<{ id: string }>("SELECT id FROM calls")
        .toArray()
        .map(({ id }) => id),
    );
    return this.#callIds;
  }

  answer(key: string): StoredCallReply | null {
    return (
      this.#sql
        .exec<{ request: string; answer: string | null }>("SELECT request, answer FROM answers WHERE key = ?", key)
        .toArray()[0] ?? null
    );
  }

  keepAnswer(key: string, at: number, request: string, answer: string | null): void {
    this.#sql.exec("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", key, at, request, answer);
  }

  dropAnswersBefore(at: number): void {
    this.#sql.exec("DELETE FROM answers WHERE at < ?", at);
  }
}
