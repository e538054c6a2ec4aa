// The remaining work of a run, in the SQLite of the import's object: the skills in order, as listed when the run began.

import { type Planned, plannedSchema } from "../../domain/imports/plan";

/** A planned skill, its position, and the number of attempts. */
export interface PlannedRow {
  seq: number;
  planned: Planned;
  attempts: number;
}

/** The state of the run in progress. */
export interface PlanState {
  run: number;
  delays: Delays;
}

/** How often the run paused because the source did not answer, and how often because the source requested a pause. */
export interface Delays {
  pauses: number;
  waits: number;
}

const NONE: Delays = { pauses: 0, waits: 0 };

export class ImportPlan {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Id of the import; `null` if the object has none. */
  get id(): string | null {
    return this.#storage.kv.get<string>("id") ?? null;
  }

  set id(id: string) {
    this.#storage.kv.put("id", id);
  }

  /** `null`: no run is planned. */
  get state(): PlanState | null {
    return this.#storage.kv.get<PlanState>("state") ?? null;
  }

  set state(state: PlanState) {
    this.#storage.kv.put("state", state);
  }

  /** Stores the plan of a run, and deletes the rest of the previous plan. */
  begin(run: number, planned: readonly Planned[]): void {
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      sql.exec(
        "CREATE TABLE IF NOT EXISTS plan (seq INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL, attempts INTEGER NOT NULL)",
      );
      sql.exec("DELETE FROM plan");
      for (const one of planned) sql.exec("INSERT INTO plan (entry, attempts) VALUES (?, 0)", JSON.stringify(one));
      this.state = { run, delays: NONE };
    });
  }

  /** The next rows, at most `most`. */
  next(most: number): PlannedRow[] {
    return this.#storage.sql
      .exec<{ seq: number; entry: string; attempts: number }>("SELECT * FROM plan ORDER BY seq LIMIT ?", most)
      .toArray()
      .map(({ entry, ...row }) => ({ ...row, planned: plannedSchema.parse(JSON.parse(entry)) }));
  }

  /** Removes a finished skill. */
  drop(seq: number): void {
    this.#storage.sql.exec("DELETE FROM plan WHERE seq = ?", seq);
  }

  /** Moves a skill to the end, to be tried again. */
  postpone({ seq, planned, attempts }: PlannedRow): void {
    this.#storage.transactionSync(() => {
      this.drop(seq);
      const again = "INSERT INTO plan (entry, attempts) VALUES (?, ?)";
      this.#storage.sql.exec(again, JSON.stringify(planned), attempts + 1);
    });
  }

  /** How often this run paused. */
  get delays(): Delays {
    return this.state?.delays ?? NONE;
  }

  set delays(delays: Delays) {
    this.state = { run: this.state?.run ?? 0, delays };
  }

  get isEmpty(): boolean {
    return this.state === null || this.state.run === 0 || this.next(1).length === 0;
  }
}
