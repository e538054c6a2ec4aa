// `env.DB` in the world: sessions that go to the primary or to the replica, as Cloudflare documents them.

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

/** The later of two bookmarks. */
const later = (a: string | null, b: string) => (a === null || a < b ? b : a);

/**
 * One session. `first-primary` stays with the primary: Cloudflare may serve its later queries from a replica that has come so far,
 * and promises nothing.
 */
function openSession(world: World, pair: Pair, who: () => Who, start: string) {
  const constraint = constraintOf(start);
  let bookmark = constraint === "bookmark" ? start : null;
  const ask: Ask = async (queries, run) => {
    const { replication } = world;
    const writing = queries.some(writes);
    await replication.advance(pair);
    if (bookmark !== null && bookmark > replication.head) {
      // Nobody has come so far, or ever will.
      const trip = { who: who(), to: "replica", what: whatOf(queries), constraint, lagged: true } as const;
      return world.run(trip, () => Promise.reject(new Error("D1_ERROR: the session's bookmark was not reached")));
    }
    const lagged = bookmark !== null && bookmark > replication.reached;
    const primary = writing || lagged || constraint === "first-primary" || constraint === "none";
    const told = lagged && !writing ? ({ lagged } as const) : {};
    const trip = {
      who: who(),
      to: primary ? "primary" : "replica",
      what: whatOf(queries),
      constraint,
      ...told,
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

/** The binding. What the gateway and its tests use of it is here, and nothing else. */
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
  // Generic signatures of results cannot be told by a class that hands on what D1 gives.
  return made as unknown as D1Database;
}
