// Opens D1 with drizzle and adds the deadline, error mapping, bookmarks and Server-Timing.

import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";

/** Time that one request waited for storage, in milliseconds. */
export interface Timings {
  storage: number;
}

/** The full-text index. It is derived from other tables, and only search requires it. */
export const SEARCH_TABLE = "skill_search";

export type Database = DrizzleD1Database<Record<string, never>>;

/** The D1 instance that answered, as D1 reports it; `null` if not reported. */
export interface Served {
  region: string | null;
  primary: boolean | null;
}

/** The instance that answered last in this isolate. */
let served: Served | null = null;

/** Returns the D1 instance of this isolate's last query that reported one; `null` before the first. */
export function lastServed(): Served | null {
  return served;
}

function noteServed(answer: unknown): void {
  const [first]: unknown[] = Array.isArray(answer) ? answer : [answer];
  if (typeof first !== "object" || first === null || !("meta" in first)) return;
  const { meta } = first;
  if (typeof meta !== "object" || meta === null) return;
  const region = "served_by_region" in meta && typeof meta.served_by_region === "string" ? meta.served_by_region : null;
  const primary =
    "served_by_primary" in meta && typeof meta.served_by_primary === "boolean" ? meta.served_by_primary : null;
  served = { region, primary };
}

type Session = Pick<D1DatabaseSession, "prepare" | "batch">;
/** A D1 session whose calls respect the deadline. */
export type GuardedSession = D1Database;

/** Callbacks of a session. */
export interface SessionWatch {
  /** Called after every write that can change the identity of a caller. `false`: D1 did not report whether the write happened. */
  wrote?: (isDone: boolean) => void;
  /** Runs statements that a replica rejects because it has not applied a migration yet. */
  primary?: () => Session;
}

/** Returns a drizzle client over a D1 session guarded by `guardSession`. */
export function openDatabase(session: Session, timings: Timings, watch: SessionWatch = {}): Database {
  return drizzle(guardSession(session, timings, watch));
}

/** Runs one call to D1 or R2 with the storage deadline. Every failure becomes `unavailable`. */
export async function guarded<T>(timings: Timings, operation: () => Promise<T>): Promise<T> {
  const started = Date.now();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${DURATIONS.storage} ms`)), DURATIONS.storage);
  });
  try {
    const answer = await Promise.race([operation(), late]);
    noteServed(answer);
    return answer;
  } catch (error) {
    if (error instanceof GatewayError || isConstraintFailure(error) || isIndexMissing(error)) throw error;
    console.error(JSON.stringify({ event: "storage_failed", error: String(error) }));
    throw storageDown();
  } finally {
    clearTimeout(timer);
    timings.storage += Date.now() - started;
  }
}

/** The error while D1 or R2 does not work. */
export function storageDown(): GatewayError {
  return new GatewayError("unavailable", "UNAVAILABLE", "Storage did not respond. Try again in a moment.");
}

/** Whether SQLite rejected a row, as opposed to a failure of D1. */
export function isConstraintFailure(error: unknown): boolean {
  return constraintOf(error) !== null;
}

/** Whether the search index is missing: it was dropped, or not recreated after a restore. */
export function isIndexMissing(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (new RegExp(`no such table: (?:main\\.)?${SEARCH_TABLE}\\b`).test(cause.message)) return true;
  }
  return false;
}

/** Returns the text after `constraint failed:` (for example `skills.scope, skills.folded` or the name of a check), or `null`. */
export function constraintOf(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const match = /constraint failed(?:: ([^:]*))?/i.exec(cause.message);
    if (match) return (match[1] ?? "").trim();
  }
  return null;
}

/**
 * Whether a statement changes keys, memberships or counters of scopes, or ends grants. Creating or refreshing a grant changes no identity.
 */
function changesIdentity(query: string): boolean {
  if (/^(?:insert into|update|delete from) "grant/.test(query)) return ENDS_GRANTS.test(query);
  return (
    /\b(?:insert|update|delete|replace)\b/i.test(query) && /\b(?:keys|groups|group_members|counters)\b/.test(query)
  );
}

const ENDS_GRANTS = /^(?:update "grants" set "ended_at"|delete from "grants")/;

/** Whether a replica does not have a table or column that the gateway uses. */
function isBehind(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (/no such (?:table|column)|has no column named/.test(cause.message)) return true;
  }
  return false;
}

/** A prepared statement with what is needed to prepare it again on another session. */
interface Made {
  statement: D1PreparedStatement;
  query: string;
  values: readonly unknown[];
}

/**
 * Returns a D1 session whose queries finish within `DURATIONS.storage` or fail as `unavailable`. Constraint errors and the missing search
 * index keep their own errors, because callers handle them.
 */
export function guardSession(
  session: Session,
  timings: Timings,
  { wrote, primary }: SessionWatch = {},
): GuardedSession {
  const known = new WeakMap<D1PreparedStatement, Made>();

  function wrap(made: Made): D1PreparedStatement {
    const { statement, query } = made;
    const wrapped = new Proxy(statement, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== "function") return value;
        if (property === "bind") {
          return (...values: unknown[]) => wrap({ statement: target.bind(...values), query, values });
        }
        return (...values: unknown[]) =>
          run([made], async ([one = made]): Promise<unknown> => {
            const method: unknown = Reflect.get(one.statement, property);
            return typeof method === "function" ? method.apply(one.statement, values) : method;
          });
      },
    });
    known.set(wrapped, made);
    return wrapped;
  }

  function run<T>(made: readonly Made[], ask: (made: readonly Made[], session: Session) => Promise<T>): Promise<T> {
    const changes = wrote !== undefined && made.some(({ query }) => changesIdentity(query));
    return guarded(timings, async () => {
      try {
        const result = await ask(made, session).catch((error: unknown) => {
          if (primary === undefined || !isBehind(error)) throw error;
          const other = primary();
          return ask(
            made.map((one) => ({ ...one, statement: bound(other.prepare(one.query), one.values) })),
            other,
          );
        });
        // Also called for a write that finished after its caller's deadline.
        if (changes) wrote?.(true);
        return result;
      } catch (error) {
        if (changes && !isConstraintFailure(error)) wrote?.(false);
        throw error;
      }
    });
  }

  return {
    prepare: (query) => wrap({ statement: session.prepare(query), query, values: [] }),
    batch: <T>(statements: D1PreparedStatement[]) =>
      run(
        statements.map((statement) => known.get(statement) ?? { statement, query: "", values: [] }),
        (made, place) => place.batch<T>(made.map(({ statement }) => statement)),
      ),
    exec: () => Promise.reject(new Error("exec is not used")),
    dump: () => Promise.reject(new Error("dump is not used")),
    withSession: () => {
      throw new Error("already a session");
    },
  };
}

function bound(statement: D1PreparedStatement, values: readonly unknown[]): D1PreparedStatement {
  return values.length === 0 ? statement : statement.bind(...values);
}
