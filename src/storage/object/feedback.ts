// Feedback on the turns of a conversation, in its SQLite: one row per turn.

import * as z from "zod";
import type { Tables } from "./tables";

const skillsSchema = z.array(z.object({ skill_id: z.string(), version_id: z.string() }));

/** Feedback on a turn. */
export interface TurnFeedback {
  turn: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** -1: bad, 0: withdrawn, 1: good. */
  score: number;
  comment: string | null;
  /** The skills that were active in the turn. */
  skills: z.infer<typeof skillsSchema>;
}

type Row = Omit<TurnFeedback, "skills"> & { skills: string };

export class FeedbackStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  get(turn: number): TurnFeedback | null {
    return this.after(turn - 1, 1).find((row) => row.turn === turn) ?? null;
  }

  /** Returns feedback on turns after one, in their order. */
  after(turn: number, limit: number): TurnFeedback[] {
    if (!this.#tables.has("feedback")) return [];
    const sql = "SELECT turn, at, score, comment, skills FROM feedback WHERE turn > ? ORDER BY turn LIMIT ?";
    const rows = this.#sql.exec<{ [K in keyof Row]: Row[K] }>(sql, turn, limit).toArray();
    return rows.map((row) => ({ ...row, skills: skillsSchema.parse(JSON.parse(row.skills)) }));
  }

  keep({ turn, at, score, comment, skills }: TurnFeedback): void {
    this.#tables.make("feedback");
    const sql = "INSERT OR REPLACE INTO feedback VALUES (?, ?, ?, ?, ?)";
    this.#sql.exec(sql, turn, at, score, comment, JSON.stringify(skills));
  }

  /** Deletes feedback on turns that were undone. */
  dropAfter(turn: number): void {
    if (this.#tables.has("feedback")) this.#sql.exec("DELETE FROM feedback WHERE turn > ?", turn);
  }
}
