// D1 behind drizzle, with its deadline, its failures, its bookmark and its share of Server-Timing.

import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";

/** What one request spent waiting, in milliseconds. */
export interface Timings {
  storage: number;
}

/** The full-text index: derived from the rows, and the one table that everything but search does without. */
export const SEARCH_TABLE = "skill_search";

export type Database = DrizzleD1Database<Record<string, never>>;

/** Which instance of D1 answered, as it says itself; `null` where it does not say. */
export interface Served {
  region: string | null;
  primary: boolean | null;
}

/** What answered this isolate last. */
let served: Served | null = null;

/** The instance of D1 that answered this isolate's last question that tells it; `null` before the first. */
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
/** A session whose calls keep to the deadline. */
export type GuardedSession = D1Database;

/** What a session does besides answering. */
export interface SessionWatch {
  /** Called after every write that who calls, and what they see, depends on. `false`: it may have been done, D1 does not say. */
  wrote?: (isDone: boolean) => void;
  /** Where a replica that has not seen a migration yet sends a statement that it does not understand. */
  primary?: () => Session;
}

/** A drizzle client over a D1 session, under `guardSession`. */
export function openDatabase(session: Session, timings: Timings, watch: SessionWatch = {}): Database {
  return drizzle(guardSession(session, timings, watch));
}

/** Runs one call to D1 or R2 under the storage deadline and makes any failure of theirs `unavailable`. */
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

/** The refusal while D1 or R2 does not work. */
export function storageDown(): GatewayError {
  return new GatewayError("unavailable", "UNAVAILABLE", "Storage did not respond. Try again in a moment.");
}

/** Whether an error is SQLite refusing a row, as opposed to D1 not working. Names the constraint's kind and columns. */
export function isConstraintFailure(error: unknown): boolean {
  return constraintOf(error) !== null;
}

/** Whether an error is SQLite not finding the search index: somebody dropped it, or it was not made again after a restore. */
export function isIndexMissing(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (new RegExp(`no such table: (?:main\\.)?${SEARCH_TABLE}\\b`).test(cause.message)) return true;
  }
  return false;
}

/** The text after `constraint failed:` (e.g. `skills.scope, skills.folded` or a check's name), or `null`. */
export function constraintOf(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const match = /constraint failed(?:: ([^:]*))?/i.exec(cause.message);
    if (match) return (match[1] ?? "").trim();
  }
  return null;
}

/**
 * Whether a statement changes keys, memberships or the counters of scopes, or ends grants: what everybody's identity is read from. A
 * grant that is made or refreshed changes nobody's.
 */
function changesIdentity(query: string): boolean {
  if (/^(?:insert into|update|delete from) "grant/.test(query)) return ENDS_GRANTS.test(query);
  return (
    /\b(?:insert|update|delete|replace)\b/i.test(query) && /\b(?:keys|groups|group_members|counters)\b/.test(query)
  );
}

const ENDS_GRANTS = /^(?:update "grants" set "ended_at"|delete from "grants")/;

/** Whether a database does not know a table or a column that the gateway knows. */
function isBehind(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (/no such (?:table|column)|has no column named/.test(cause.message)) return true;
  }
  return false;
}

/** A statement as it was made, so that another session can make it again. */
interface Made {
  statement: D1PreparedStatement;
  query: string;
  values: readonly unknown[];
}

/**
 * A D1 session whose queries end within `DURATIONS.storage` or as `unavailable`; a broken constraint keeps its own error, and so
 * does a missing search index: callers decide what those mean.
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
        // Also of one that came too late for its caller.
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
