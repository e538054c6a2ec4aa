// Stores one conversation in its SQLite: settings, event log, cached registry data and repeatable results. Everything is synchronous, so a
// decision and its event are written together.

import * as z from "zod";
import { ChatStore } from "./chat";
import { ConnectionStore } from "./connections";
import { FeedbackStore } from "./feedback";
import { EventLog } from "./log";
import { readParts, writeParts } from "./parts";
import { QuestionStore } from "./questions";
import { type ResultHead, ResultStore } from "./results";
import { RoundStore } from "./rounds";
import { Tables } from "./tables";
import { TextStore } from "./texts";
import { TicketStore } from "./tickets";

/** Meta values by key. Each is JSON and validated when it is read, because an earlier gateway may have written it. */
export type MetaKey =
  | "trace"
  | "about"
  | "catalog"
  | "passes"
  | "provided"
  | "front"
  | "finding"
  | "uses"
  | "lists"
  | "told"
  | "list_facts"
  | "chat"
  | "shown"
  | "log_level"
  | "asked"
  | LegacyRow;
/** Rows of earlier gateways whose values are now in `about`. */
export type LegacyRow = "owner" | "created" | "settings" | "effective" | "listed";

/** SQL: the value stored for a turn. */
const TURN = "CAST(value AS INTEGER)";

const madeSchema = z.object({ created: z.number() });

export interface StoredCallReply {
  request: string;
  /** `null` if the response was too large to store. */
  answer: string | null;
}

/** The tables of one conversation. `create` makes the first ones; every other call requires them. */
export class ConversationStore {
  readonly #sql: SqlStorage;
  readonly #storage: DurableObjectStorage;
  readonly #tables: Tables;
  readonly log: EventLog;
  readonly questions: QuestionStore;
  readonly tickets: TicketStore;
  readonly upstreams: ConnectionStore;
  readonly chat: ChatStore;
  readonly rounds: RoundStore;
  readonly feedback: FeedbackStore;
  readonly #texts: TextStore;
  readonly #results: ResultStore;
  #created: number | null = null;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#tables = new Tables(this.#sql);
    this.log = new EventLog(this.#sql, this.#tables);
    this.questions = new QuestionStore(this.#sql, this.#tables, () => this.created());
    this.tickets = new TicketStore(this.#sql, this.#tables);
    this.upstreams = new ConnectionStore(this.#sql, this.#tables);
    this.chat = new ChatStore(this.#sql, this.#tables);
    this.rounds = new RoundStore(this.#sql, this.#tables);
    this.feedback = new FeedbackStore(this.#sql, this.#tables);
    this.#texts = new TextStore(this.#sql, this.#tables);
    this.#results = new ResultStore(this.#sql, this.#tables);
  }

  /** Whether the conversation was ever created. Writes nothing. */
  exists(): boolean {
    this.#tables.forget();
    return this.#tables.has("events");
  }

  create(): void {
    this.#forget();
    this.#tables.make("meta");
    this.#tables.make("events");
  }

  /** Total size in bytes. */
  bytes(): number {
    return this.#sql.databaseSize;
  }

  /** Runs a change in a transaction. */
  atomically<T>(change: () => T): T {
    try {
      return this.#storage.transactionSync(change);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Clears cached values after a rollback or deletion. */
  #forget(): void {
    this.#texts.forget();
    this.#results.forget();
    this.rounds.forget();
    this.#created = null;
    this.#tables.forget();
    this.log.forget();
    this.questions.forget();
  }

  get<T>(key: MetaKey, schema: z.ZodType<T>): T | null {
    const text = readParts(this.#sql, key);
    return text === null ? null : schema.parse(JSON.parse(text));
  }

  set(key: MetaKey, value: unknown): void {
    writeParts(this.#sql, key, JSON.stringify(value));
  }

  /** Creation time, in milliseconds since the epoch. */
  created(): number {
    this.#created ??= this.get("about", madeSchema)?.created ?? this.get("created", z.number()) ?? 0;
    return this.#created;
  }

  /** Time of the last event, in milliseconds since the epoch. */
  lastChange(): number {
    const last = (table: "events" | "requests", column: string) =>
      this.#tables.has(table)
        ? (this.#sql.exec<{ at: number }>(`SELECT ${column} AS at FROM ${table} ORDER BY seq DESC LIMIT 1`).toArray()[0]
            ?.at ?? 0)
        : 0;
    return Math.max(last("events", "at"), last("requests", "created")) || this.created();
  }

  turnOf(key: string): number | null {
    // The prefix separates callers' keys from the parts of long values.
    const turn = this.#sql.exec<{ turn: number }>(`SELECT ${TURN} AS turn FROM meta WHERE key = ?`, `turn:${key}`);
    const known = turn.toArray()[0]?.turn;
    if (known !== undefined || !this.#tables.has("turn_keys")) return known ?? null;
    return this.#sql.exec<{ turn: number }>("SELECT turn FROM turn_keys WHERE key = ?", key).toArray()[0]?.turn ?? null;
  }

  rememberTurn(key: string, turn: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO meta VALUES (?, ?)", `turn:${key}`, String(turn));
  }

  /** Number of times turns were undone. A repeated turn is a different one. */
  passes(): number {
    return this.get("passes", z.number()) ?? 0;
  }

  /** Deletes the keys of later turns and the results of all calls. */
  forgetTurnsAfter(turn: number): void {
    this.set("passes", this.passes() + 1);
    this.#sql.exec(`DELETE FROM meta WHERE key > 'turn:' AND key < 'turn;' AND ${TURN} > ?`, turn);
    if (this.#tables.has("turn_keys")) this.#sql.exec("DELETE FROM turn_keys WHERE turn > ?", turn);
    this.#results.dropAll();
    this.feedback.dropAfter(turn);
    this.rounds.dropBefore(Number.MAX_SAFE_INTEGER);
  }

  instructions(versionId: string): string | null {
    return this.#texts.get(versionId)?.instructions ?? null;
  }

  /** Facts stored with the instructions of a version, as JSON. */
  facts(versionId: string): string | null {
    return this.#texts.get(versionId)?.facts ?? null;
  }

  keepInstructions(versionId: string, instructions: string, facts: string | null): void {
    this.#texts.keep(versionId, { instructions, facts });
  }

  /** Deletes instructions of versions that are no longer active. */
  dropInstructionsExcept(versionIds: readonly string[]): void {
    this.#texts.dropExcept(versionIds);
  }

  /** Returns the stored result of a call in this turn with this id and these arguments. */
  callResult(id: string, turn: number, request: string): string | null {
    return this.#results.get(id, turn, request);
  }

  /** Stores a result for repeated calls and for pages. */
  keepCallResult(call: ResultHead, result: string): void {
    this.#results.keep(call, result);
  }

  /** Returns the calls of a turn with stored results, as pages show them. */
  callHeads(turn: number): ReturnType<ResultStore["heads"]> {
    return this.#results.heads(turn);
  }

  /** Returns the result in a row named by `callHeads`. */
  keptResult(row: string): string | null {
    return this.#results.at(row);
  }

  dropCallsBefore(turn: number): void {
    this.#results.dropBefore(turn);
    this.rounds.dropBefore(turn);
  }

  answer(key: string): StoredCallReply | null {
    if (!this.#tables.has("answers")) return null;
    return (
      this.#sql
        .exec<{ request: string; answer: string | null }>("SELECT request, answer FROM answers WHERE key = ?", key)
        .toArray()[0] ?? null
    );
  }

  keepAnswer(key: string, at: number, request: string, answer: string | null): void {
    this.#tables.make("answers");
    this.#sql.exec("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", key, at, request, answer);
  }

  dropAnswersBefore(at: number): void {
    if (this.#tables.has("answers")) this.#sql.exec("DELETE FROM answers WHERE at < ?", at);
  }
}
