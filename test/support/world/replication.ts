// Simulates D1 with one replica by two databases. Writes to the first are logged and applied to the second after the test's lag, without
// sleeping.

export interface Query {
  sql: string;
  params: readonly unknown[];
}

/** Lag of the replica: a number of writes, a number of milliseconds, or `forever`, which stops it at the state it should have now. */
export type Lag = { writes: number } | { ms: number } | "forever";

interface Write {
  queries: readonly Query[];
  at: number;
}

/** The two databases as bindings of one caller. A handle is valid only in the context that received it. */
export interface Pair {
  primary: D1Database;
  replica: D1Database;
}

/** Whether D1 sends a statement to the primary in every session. */
export function writes({ sql }: Query): boolean {
  return !/^\s*(?:SELECT|EXPLAIN|WITH(?![\s\S]*\b(?:INSERT|UPDATE|DELETE)\b))\b/i.test(sql);
}

/** Returns a bookmark in D1's format. Bookmarks sort as text. */
export function bookmarkAt(position: number): string {
  return `${position.toString(16).padStart(8, "0")}-00000000-00000000-${"0".repeat(32)}`;
}

export function prepared(db: D1Database, { sql, params }: Query): D1PreparedStatement {
  const statement = db.prepare(sql);
  return params.length === 0 ? statement : statement.bind(...params);
}

const MAX_BATCH = 50;

export class Replication {
  readonly #log: Write[] = [];
  #applied = 0;
  #lag: Lag = { writes: 0 };
  /** Position in the log at which the replica stopped (`forever`). */
  #stopped = 0;
  #busy = false;

  /** Bookmark of the last write. */
  get head(): string {
    return bookmarkAt(this.#log.length);
  }

  /** Bookmark of the replica. */
  get reached(): string {
    return bookmarkAt(this.#applied);
  }

  setLag(lag: Lag): void {
    this.#stopped = this.#due();
    this.#lag = lag;
  }

  /** Runs a write at the primary and logs it. Writes run one at a time, as in D1, so the log has the order of the commits. */
  async write<T>(queries: readonly Query[], run: () => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      const result = await run();
      this.#log.push({ queries, at: Date.now() });
      return result;
    });
  }

  /** Applies the log to the replica as far as the lag allows. */
  async advance({ replica }: Pair): Promise<void> {
    if (this.#due() <= this.#applied) return;
    await this.#alone(async () => {
      for (let due = this.#due(); this.#applied < due; ) {
        const next = this.#log.slice(this.#applied, Math.min(due, this.#applied + MAX_BATCH));
        await replica.batch(next.flatMap(({ queries }) => queries.map((query) => prepared(replica, query))));
        this.#applied += next.length;
        due = this.#due();
      }
    });
  }

  /** Returns the position in the log that the replica should have. It never decreases. */
  #due(): number {
    const lag = this.#lag;
    if (lag === "forever") return this.#stopped;
    if ("writes" in lag) return Math.max(this.#applied, this.#log.length - lag.writes);
    const young = this.#log.findIndex(({ at }) => at > Date.now() - lag.ms);
    return Math.max(this.#applied, young === -1 ? this.#log.length : young);
  }

  /** Runs one operation at a time. It polls, because a request cannot wait for a promise of another request's context. */
  async #alone<T>(run: () => Promise<T>): Promise<T> {
    while (this.#busy) await scheduler.wait(1);
    this.#busy = true;
    try {
      return await run();
    } finally {
      this.#busy = false;
    }
  }
}
