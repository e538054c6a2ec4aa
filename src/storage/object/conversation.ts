// One conversation's own SQLite: its settings, its event log, what it keeps of the registry, and answers worth repeating.
// Everything here is synchronous, so a decision and the event that records it cannot be torn apart.

import * as z from "zod";
import { ChatStore } from "./chat";
import { ConnectionStore } from "./connections";
import { EventLog } from "./log";
import { readParts, writeParts } from "./parts";
import { QuestionStore } from "./questions";
import { type ResultHead, ResultStore } from "./results";
import { RoundStore } from "./rounds";
import { Tables } from "./tables";
import { TextStore } from "./texts";
import { TicketStore } from "./tickets";

/** Meta values by key. Each is JSON, checked again when it is read, since an older version of the gateway may have written it. */
export type MetaKey =
  | "about"
  | "catalog"
  | "passes"
  | "provided"
  | "front"
  | "finding"
  | "uses"
  | "told"
  | "chat"
  | "shown"
  | "log_level"
  | "asked"
  | LegacyRow;
/** What an earlier gateway wrote one row each for, and `about` has together. */
export type LegacyRow = "owner" | "created" | "settings" | "effective" | "listed";

/** SQL: the value of a turn's key. */
const TURN = "CAST(value AS INTEGER)";

const madeSchema = z.object({ created: z.number() });

export interface StoredCallReply {
  request: string;
  /** `null` when the answer was too large to keep. */
  answer: string | null;
}

/** The tables of one conversation. The first are made by `create`; every other call expects them. */
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
    this.#texts = new TextStore(this.#sql, this.#tables);
    this.#results = new ResultStore(this.#sql, this.#tables);
  }

  /** Whether the conversation was ever created. Asking writes nothing. */
  exists(): boolean {
    this.#tables.forget();
    return this.#tables.has("events");
  }

  create(): void {
    this.#forget();
    this.#tables.make("meta");
    this.#tables.make("events");
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
      this.#forget();
      throw error;
    }
  }

  /** What was rolled back, or deleted with everything, is in memory still. */
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

  /** When the conversation was made, in milliseconds since the epoch. */
  created(): number {
    this.#created ??= this.get("about", madeSchema)?.created ?? this.get("created", z.number()) ?? 0;
    return this.#created;
  }

  /** When something last happened here, in milliseconds since the epoch. */
  lastChange(): number {
    const last = (table: "events" | "requests", column: string) =>
      this.#tables.has(table)
        ? (this.#sql.exec<{ at: number }>(`SELECT ${column} AS at FROM ${table} ORDER BY seq DESC LIMIT 1`).toArray()[0]
            ?.at ?? 0)
        : 0;
    return Math.max(last("events", "at"), last("requests", "created")) || this.created();
  }

  turnOf(key: string): number | null {
    // A caller's key may look like the part of a long value, so it is none.
    const turn = this.#sql.exec<{ turn: number }>(`SELECT ${TURN} AS turn FROM meta WHERE key = ?`, `turn:${key}`);
    const known = turn.toArray()[0]?.turn;
    if (known !== undefined || !this.#tables.has("turn_keys")) return known ?? null;
    return this.#sql.exec<{ turn: number }>("SELECT turn FROM turn_keys WHERE key = ?", key).toArray()[0]?.turn ?? null;
  }

  rememberTurn(key: string, turn: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO meta VALUES (?, ?)", `turn:${key}`, String(turn));
  }

  /** How often turns were undone: a turn that happens again is another one. */
  passes(): number {
    return this.get("passes", z.number()) ?? 0;
  }

  /** Forgets the keys of later turns, and the results of all calls. */
  forgetTurnsAfter(turn: number): void {
    this.set("passes", this.passes() + 1);
    this.#sql.exec(`DELETE FROM meta WHERE key > 'turn:' AND key < 'turn;' AND ${TURN} > ?`, turn);
    if (this.#tables.has("turn_keys")) this.#sql.exec("DELETE FROM turn_keys WHERE turn > ?", turn);
    this.#results.dropAll();
    this.rounds.dropBefore(Number.MAX_SAFE_INTEGER);
  }

  instructions(versionId: string): string | null {
    return this.#texts.get(versionId)?.instructions ?? null;
  }

  /** What was kept with the instructions of a version, as JSON. */
  facts(versionId: string): string | null {
    return this.#texts.get(versionId)?.facts ?? null;
  }

  keepInstructions(versionId: string, instructions: string, facts: string | null): void {
    this.#texts.keep(versionId, { instructions, facts });
  }

  /** Drops instructions of versions that are not active any more. */
  dropInstructionsExcept(versionIds: readonly string[]): void {
    this.#texts.dropExcept(versionIds);
  }

  /** The stored result of a call made in this turn with this id and these arguments. */
  callResult(id: string, turn: number, request: string): string | null {
    return this.#results.get(id, turn, request);
  }

  /** Keeps a result for when the call is made again, and for the pages. */
  keepCallResult(call: ResultHead, result: string): void {
    this.#results.keep(call, result);
  }

  /** Calls of a turn whose results are kept, as pages are told of them. */
  callHeads(turn: number): ReturnType<ResultStore["heads"]> {
    return this.#results.heads(turn);
  }

  /** The result in a row that `callHeads` names. */
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
