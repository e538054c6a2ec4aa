// Stores the chat endpoint's history in a conversation's SQLite: a tree of answers, each with the messages that produced it.

import * as z from "zod";
import { inParts, type JsonObject, jsonObject } from "../../domain/json";
import { ROW_LIMITS } from "../../domain/limits";
import type { Tables } from "./tables";

/** One answer, identified by the digest of the chat up to it. */
export interface ChatNode {
  chain: string;
  /** The previous stored answer. */
  parent: string;
  digest: string;
  exchange: string;
  /** The message format of the chat. */
  format: string;
  model: string;
  /** Whether a user message started it. */
  turn: number;
}

export interface ChatExchange {
  id: string;
  /** Digest of the chat before it. */
  parent: string;
  /** The last stored answer before it. */
  branch: string;
  request: string;
  /** `waiting`: ended, and calls of its last step wait for a sign-in. */
  state: "running" | "failed" | "ended" | "waiting" | "dropped";
  lease: number;
  format: string;
  model: string;
  turn: number;
}

export type ChatMessageKind = "append" | "answer" | "result";
/** Text that was sent to the caller of a step that did not finish. It is not part of the history but can be referenced by id. */
const SHOWN = "shown";

export interface ChatMessage {
  seq: number;
  kind: ChatMessageKind;
  /** Id of the appended message. */
  id: string;
  message: JsonObject;
}

const nodeSchema = z.object({
  ...{ chain: z.string(), parent: z.string(), digest: z.string(), exchange: z.string() },
  ...{ format: z.string(), model: z.string(), turn: z.number() },
});
const exchangeSchema = z.object({
  ...{
    id: z.string(),
    parent: z.string(),
    branch: z.string(),
    request: z.string(),
    lease: z.number(),
    format: z.string(),
  },
  ...{ state: z.enum(["running", "failed", "ended", "waiting", "dropped"]), model: z.string(), turn: z.number() },
});
const messageSchema = z.object({
  ...{ seq: z.number(), part: z.number(), id: z.string(), body: z.string() },
  kind: z.enum(["append", "answer", "result"]),
});

export class ChatStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  node(chain: string): ChatNode | null {
    return this.#nodes("chain = ?", chain)[0] ?? null;
  }

  /** Returns answers with this digest, newest first. */
  nodesLike(digest: string): ChatNode[] {
    return this.#nodes("digest = ? ORDER BY at DESC LIMIT 16", digest);
  }

  /** Returns answers after another one, newest first. */
  nodesBehind(parent: string): ChatNode[] {
    return this.#nodes("parent = ? ORDER BY at DESC LIMIT 16", parent);
  }

  /** Returns the newest answers, newest first. */
  newestNodes(limit: number): ChatNode[] {
    return this.#nodes(`1 ORDER BY at DESC LIMIT ${limit}`);
  }

  /** Returns the time and the model of the last answer between two times; `null` if there is none. */
  lastAnswer(from: number, until: number): { at: number; model: string } | null {
    if (!this.#tables.has("chat_nodes")) return null;
    const last = "SELECT at, model FROM chat_nodes WHERE at >= ? AND at < ? ORDER BY at DESC LIMIT 1";
    return this.#sql.exec<{ at: number; model: string }>(last, from, until).toArray()[0] ?? null;
  }

  putNode({ chain, parent, digest, exchange, format, model, turn }: ChatNode, at: number): void {
    this.#tables.make("chat_nodes");
    this.#sql.exec(
      "INSERT OR REPLACE INTO chat_nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ...[chain, parent, digest, exchange, format, model, turn, at],
    );
  }

  exchange(id: string): ChatExchange | null {
    return this.#exchanges("id = ?", id)[0] ?? null;
  }

  /** Returns the last attempt with the same request at the same position. */
  exchangeLike(parent: string, request: string): ChatExchange | null {
    return this.#exchanges("parent = ? AND request = ? ORDER BY rowid DESC LIMIT 1", parent, request)[0] ?? null;
  }

  /** Returns unfinished attempts after these answers, newest first. */
  exchangesAt(parent: string): ChatExchange[] {
    return this.#exchanges("parent = ? AND state IN ('running', 'failed') ORDER BY rowid DESC LIMIT 8", parent);
  }

  putExchange({ id, parent, branch, request, state, lease, format, model, turn }: ChatExchange): void {
    this.#tables.make("chat_exchanges");
    this.#sql.exec(
      "INSERT OR REPLACE INTO chat_exchanges (id, parent, branch, request, state, lease, format, model, turn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[id, parent, branch, request, state, lease, format, model, turn],
    );
  }

  messages(exchange: string): ChatMessage[] {
    if (!this.#tables.has("chat_messages")) return [];
    const columns = "SELECT seq, part, kind, id, body FROM chat_messages";
    const rows = this.#sql
      .exec(`${columns} WHERE exchange = ? AND kind <> ? ORDER BY seq, part`, exchange, SHOWN)
      .toArray();
    const messages: (Omit<ChatMessage, "message"> & { text: string })[] = [];
    for (const { seq, part, kind, id, body } of rows.map((row) => messageSchema.parse(row))) {
      const last = messages.at(-1);
      if (part > 0 && last !== undefined) last.text += body;
      else messages.push({ seq, kind, id, text: body });
    }
    return messages.map(({ text, ...rest }) => ({ ...rest, message: jsonObject.parse(JSON.parse(text)) }));
  }

  /** Returns what an unfinished step sent under this id. */
  shown(id: string): JsonObject | null {
    if (!this.#tables.has("chat_messages")) return null;
    const of = "SELECT exchange, seq FROM chat_messages WHERE kind = ? AND id = ? LIMIT 1";
    const bodies = this.#sql
      .exec<{ body: string }>(`SELECT body FROM chat_messages WHERE (exchange, seq) = (${of}) ORDER BY part`, SHOWN, id)
      .toArray();
    return bodies.length === 0 ? null : jsonObject.parse(JSON.parse(bodies.map(({ body }) => body).join("")));
  }

  addShown(exchange: string, items: readonly JsonObject[]): void {
    for (const item of items) this.#add(exchange, SHOWN, item, String(item.id));
  }

  addMessage(exchange: string, kind: ChatMessageKind, message: JsonObject, id = ""): void {
    this.#add(exchange, kind, message, id);
  }

  #add(exchange: string, kind: string, message: JsonObject, id: string): void {
    this.#tables.make("chat_messages");
    const last = "SELECT coalesce(max(seq), 0) + 1 AS seq FROM chat_messages WHERE exchange = ?";
    const seq = Number(this.#sql.exec<{ seq: number }>(last, exchange).one().seq);
    this.#write(exchange, seq, kind, id, message);
  }

  /** Replaces a message. */
  changeMessage(exchange: string, { seq, kind, id, message }: ChatMessage): void {
    this.dropMessage(exchange, seq);
    this.#write(exchange, seq, kind, id, message);
  }

  /** Returns the total length in characters. */
  size(exchange: string): number {
    if (!this.#tables.has("chat_messages")) return 0;
    const sum = "SELECT coalesce(sum(length(body)), 0) AS size FROM chat_messages WHERE exchange = ?";
    return Number(this.#sql.exec<{ size: number }>(sum, exchange).one().size);
  }

  dropMessage(exchange: string, seq: number): void {
    this.#sql.exec("DELETE FROM chat_messages WHERE exchange = ? AND seq = ?", exchange, seq);
  }

  /** Moves the messages of a finished attempt to another one. */
  moveMessages(from: string, to: string): void {
    if (this.#tables.has("chat_messages"))
      this.#sql.exec("UPDATE chat_messages SET exchange = ? WHERE exchange = ?", to, from);
  }

  dropMessages(exchange: string): void {
    if (this.#tables.has("chat_messages")) this.#sql.exec("DELETE FROM chat_messages WHERE exchange = ?", exchange);
  }

  /** Copies the messages of another attempt, to continue from them. */
  copyMessages(from: string, to: string): void {
    if (!this.#tables.has("chat_messages")) return;
    this.#sql.exec(
      "INSERT INTO chat_messages SELECT ?, seq, part, kind, id, body FROM chat_messages WHERE exchange = ?",
      ...[to, from],
    );
  }

  /** Deletes what follows the last tool results: a final message that was never delivered. */
  dropAfterResults(exchange: string): void {
    if (!this.#tables.has("chat_messages")) return;
    this.#sql.exec(
      `DELETE FROM chat_messages WHERE exchange = ?1 AND kind = 'answer'
        AND seq > (SELECT coalesce(max(seq), 0) FROM chat_messages WHERE exchange = ?1 AND kind = 'result')`,
      exchange,
    );
  }

  /** Returns a page of answers in order, each with its messages. */
  page(after: number, limit: number): { at: number; node: ChatNode }[] {
    if (!this.#tables.has("chat_nodes")) return [];
    return this.#sql
      .exec("SELECT rowid AS row, * FROM chat_nodes WHERE rowid > ? ORDER BY rowid LIMIT ?", after, limit)
      .toArray()
      .map((row) => ({ at: Number(row.row), node: nodeSchema.parse(row) }));
  }

  #write(exchange: string, seq: number, kind: string, id: string, message: JsonObject): void {
    for (const [part, body] of inParts(JSON.stringify(message), ROW_LIMITS.partChars).entries())
      this.#sql.exec("INSERT INTO chat_messages VALUES (?, ?, ?, ?, ?, ?)", exchange, seq, part, kind, id, body);
  }

  #nodes(where: string, ...bound: string[]): ChatNode[] {
    if (!this.#tables.has("chat_nodes")) return [];
    const rows = this.#sql.exec(`SELECT * FROM chat_nodes WHERE ${where}`, ...bound).toArray();
    return rows.map((row) => nodeSchema.parse(row));
  }

  #exchanges(where: string, ...bound: string[]): ChatExchange[] {
    if (!this.#tables.has("chat_exchanges")) return [];
    const rows = this.#sql.exec(`SELECT * FROM chat_exchanges WHERE ${where}`, ...bound).toArray();
    return rows.map((row) => exchangeSchema.parse(row));
  }
}
