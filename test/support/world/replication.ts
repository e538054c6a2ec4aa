// D1 with one replica, made of two databases: every write to the first is kept in a log, of which the second has had a part.
// Time and lag are the test's: the replica has what is old enough, and nobody sleeps.

export interface Query {
  sql: string;
  params: readonly unknown[];
}

/** How far behind the replica is: by so many writes, by so many milliseconds, or for good, with what it should have by now. */
export type Lag = { writes: number } | { ms: number } | "forever";

interface Write {
  queries: readonly Query[];
  at: number;
}

/** The two databases, as the bindings of whoever asks: a handle is good only where it was given. */
export interface Pair {
  primary: D1Database;
  replica: D1Database;
}

/** Statements that D1 sends to the primary, wherever the session reads. */
export function writes({ sql }: Query): boolean {
  return !/^\s*(?:SELECT|EXPLAIN|WITH(?![\s\S]*\b(?:INSERT|UPDATE|DELETE)\b))\b/i.test(sql);
}

/** A bookmark in the shape of D1's own: they sort as text. */
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
  /** What the replica should have had when it stopped for good. */
  #stopped = 0;
  #busy = false;

  /** The bookmark of everything written. */
  get head(): string {
    return bookmarkAt(this.#log.length);
  }

  /** How far the replica has come. */
  get reached(): string {
    return bookmarkAt(this.#applied);
  }

  setLag(lag: Lag): void {
    this.#stopped = this.#due();
    this.#lag = lag;
  }

  /** Runs a write at the primary and remembers it. D1 has one writer at a time, and so have we: the log's order is the order of commits. */
  async write<T>(queries: readonly Query[], run: () => Promise<T>): Promise<T> {
    return this.#alone(async () => {
      const result = await run();
      this.#log.push({ queries, at: Date.now() });
      return result;
    });
  }

  /** Brings the replica to where the lag lets it be. */
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

  /** How much of the log the replica should have. It never goes back. */
  #due(): number {
    const lag = this.#lag;
    if (lag === "forever") return this.#stopped;
    if ("writes" in lag) return Math.max(this.#applied, this.#log.length - lag.writes);
    const young = this.#log.findIndex(({ at }) => at > Date.now() - lag.ms);
    return Math.max(this.#applied, young === -1 ? this.#log.length : young);
  }

  /** One at a time. Requests of several contexts come here: none may wait for another's promise, so each looks for itself. */
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
