// Simulates `env.DB` with sessions on the primary or the replica, as Cloudflare documents them.

import { type Pair, prepared, type Query, writes } from "./replication";
import type { Constraint, Who } from "./trip";
import type { World } from "./world";

type Run<T> = (db: D1Database) => Promise<T>;
type Ask = <T>(queries: readonly Query[], run: Run<T>) => Promise<T>;

class Statement {
  constructor(
    readonly query: Query,
    readonly ask: Ask,
  ) {}

  bind(...params: unknown[]): Statement {
    return new Statement({ sql: this.query.sql, params }, this.ask);
  }

  first(column?: string): Promise<unknown> {
    return this.#run((statement) => (column === undefined ? statement.first() : statement.first(column)));
  }

  run(): Promise<unknown> {
    return this.#run((statement) => statement.run());
  }

  all(): Promise<unknown> {
    return this.#run((statement) => statement.all());
  }

  raw(options?: { columnNames?: false }): Promise<unknown> {
    return this.#run((statement) => statement.raw(options));
  }

  #run(take: (statement: D1PreparedStatement) => Promise<unknown>): Promise<unknown> {
    return this.ask([this.query], (db) => take(prepared(db, this.query)));
  }
}

function session(ask: Ask) {
  return {
    prepare: (sql: string) => new Statement({ sql, params: [] }, ask),
    batch: (statements: readonly Statement[]) => {
      const queries = statements.map(({ query }) => query);
      return ask(queries, (db) => db.batch(queries.map((query) => prepared(db, query))));
    },
  };
}

/** Returns the later of two bookmarks. */
const later = (a: string | null, b: string) => (a === null || a < b ? b : a);

/**
 * Opens one session. `first-primary` always uses the primary here. Cloudflare can serve its later queries from an up-to-date replica, but
 * does not guarantee it.
 */
function openSession(world: World, pair: Pair, who: () => Who, start: string) {
  const constraint = constraintOf(start);
  let bookmark = constraint === "bookmark" ? start : null;
  const ask: Ask = async (queries, run) => {
    const { replication } = world;
    const writing = queries.some(writes);
    await replication.advance(pair);
    if (bookmark !== null && bookmark > replication.head) {
      // The bookmark is later than all writes, so no database will ever reach it.
      const trip = { who: who(), to: "replica", what: whatOf(queries), constraint, lagged: true } as const;
      return world.run(trip, () => Promise.reject(new Error("D1_ERROR: the session's bookmark was not reached")));
    }
    const lagged = bookmark !== null && bookmark > replication.reached;
    const primary = writing || lagged || constraint === "first-primary" || constraint === "none";
    const lagField = lagged && !writing ? ({ lagged } as const) : {};
    const trip = {
      who: who(),
      to: primary ? "primary" : "replica",
      what: whatOf(queries),
      constraint,
      ...lagField,
    } as const;
    return world.run(trip, async () => {
      if (lagged && !writing && world.unreached === "fail") throw new Error("D1_ERROR: the replica lags behind");
      if (primary && world.primaryDown) throw new Error("D1_ERROR: the primary is down");
      if (!primary) {
        const seen = replication.reached;
        const result = await run(pair.replica);
        bookmark = later(bookmark, seen);
        return result;
      }
      const seen = replication.head;
      const result = writing ? await replication.write(queries, () => run(pair.primary)) : await run(pair.primary);
      bookmark = later(bookmark, writing ? replication.head : seen);
      return result;
    });
  };
  return { ...session(ask), getBookmark: () => bookmark };
}

function constraintOf(start: string): Constraint {
  return start === "first-primary" || start === "first-unconstrained" || start === "none" ? start : "bookmark";
}

function whatOf(queries: readonly Query[]): string {
  return queries.map(({ sql }) => sql.replace(/\s+/g, " ").trim().slice(0, 60)).join("; ");
}

/** The D1 binding, limited to the methods that the gateway and its tests use. */
class WorldDatabase {
  readonly #open: (start: string) => ReturnType<typeof openSession>;

  constructor(open: (start: string) => ReturnType<typeof openSession>) {
    this.#open = open;
  }

  prepare(sql: string) {
    return this.#open("none").prepare(sql);
  }

  batch(statements: readonly Statement[]) {
    return this.#open("none").batch(statements);
  }

  withSession(start = "first-unconstrained") {
    return this.#open(start);
  }
}

export function database(world: World, pair: Pair, who: () => Who): D1Database {
  const made = new WorldDatabase((start) => openSession(world, pair, who, start));
  // A class that passes on D1's results cannot declare D1's generic signatures.
  return made as unknown as D1Database;
}
