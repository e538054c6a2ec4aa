// Results of a turn's tool calls in the conversation's SQLite, so that a repeated call returns the same answer. A later turn overwrites the
// rows, because a delete is billed like a write.

import * as z from "zod";
import { type CallHead, callHeadSchema } from "../../domain/questions/call-frame";
import { deleteParts, readKind, readParts, writeParts } from "./parts";
import type { Tables } from "./tables";

/** The number of old rows kept for overwriting. Further ones are deleted, because a result may be long. */
const SPARE = 8;

const headSchema = z.object({
  id: z.string(),
  turn: z.number(),
  /** A digest of the request. With `NO_REQUEST_DIGEST` the call always runs again, and the row is for the pages only. */
  request: z.string(),
  /** What pages show about the call. Rows of earlier gateways have none. */
  shown: callHeadSchema.optional(),
});
export type ResultHead = z.infer<typeof headSchema>;

/** Matches no digest. An earlier gateway also treats such a row as another call's. */
export const NO_REQUEST_DIGEST = "";

export class ResultStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;
  /** The stored calls, by row, cached at the first read: no other code writes here. */
  #heads: Map<string, ResultHead> | null = null;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  /** The result of a call of this turn with this id and these arguments. */
  get(id: string, turn: number, request: string): string | null {
    const [row] = this.#of(id, turn) ?? [];
    if (row === undefined) return this.#earlier(id, turn, request);
    if (this.#all().get(row)?.request !== request) return null;
    return bodyOf(readParts(this.#sql, `result:${row}`) ?? "");
  }

  keep(head: ResultHead, result: string): void {
    const all = this.#all();
    const spare = [...all].find(([, { turn }]) => turn !== head.turn);
    const row =
      (this.#of(head.id, head.turn) ?? spare)?.[0] ?? String(Math.max(-1, ...[...all.keys()].map(Number)) + 1);
    writeParts(this.#sql, `result:${row}`, `${JSON.stringify(head)}\n${result}`);
    all.set(row, head);
  }

  /** What pages show about a turn's calls, and the row of each result. */
  heads(turn: number): { row: string; id: string; head: CallHead }[] {
    return [...this.#all()].flatMap(([row, { id, turn: made, shown }]) =>
      made === turn && shown !== undefined ? [{ row, id, head: shown }] : [],
    );
  }

  /** Returns the result in a row. */
  at(row: string): string | null {
    const text = readParts(this.#sql, `result:${row}`);
    return text === null ? null : bodyOf(text);
  }

  /** Deletes results of calls before a turn, which are no longer needed. */
  dropBefore(before: number): void {
    if (this.#tables.has("calls")) this.#sql.exec("DELETE FROM calls WHERE turn < ?", before);
    const spare = [...this.#all()].filter(([, { turn }]) => turn < before);
    for (const [row] of spare.slice(SPARE)) {
      deleteParts(this.#sql, `result:${row}`);
      this.#all().delete(row);
    }
  }

  /** Deletes all results, because repeated turns have the same numbers. */
  dropAll(): void {
    if (this.#tables.has("calls")) this.#sql.exec("DELETE FROM calls");
    for (const row of this.#all().keys()) deleteParts(this.#sql, `result:${row}`);
    this.#heads = new Map();
  }

  forget(): void {
    this.#heads = null;
  }

  #of(id: string, turn: number): [row: string, head: ResultHead] | undefined {
    return [...this.#all()].find(([, head]) => head.id === id && head.turn === turn);
  }

  #all(): Map<string, ResultHead> {
    this.#heads ??= new Map([...readKind(this.#sql, "result")].map(([row, text]) => [row, headOf(text)]));
    return this.#heads;
  }

  /** A result that an earlier gateway stored in a separate table. */
  #earlier(id: string, turn: number, request: string): string | null {
    if (!this.#tables.has("calls")) return null;
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
}

function headOf(text: string): ResultHead {
  return headSchema.parse(JSON.parse(text.slice(0, text.indexOf("\n"))));
}

function bodyOf(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}
