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

type Session = Pick<D1DatabaseSession, "prepare" | "batch">;
/** A session whose calls keep to the deadline. */
export type GuardedSession = D1Database;

/** A drizzle client over a D1 session, under `guardSession`. */
export function openDatabase(session: Session, timings: Timings): Database {
  return drizzle(guardSession(session, timings));
}

/** Runs one call to D1 or R2 under the storage deadline and makes any failure of theirs `unavailable`. */
export async function guarded<T>(timings: Timings, operation: () => Promise<T>): Promise<T> {
  const started = Date.now();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DURATIONS.storage} ms`)), DURATIONS.storage);
  });
  try {
    return await Promise.race([operation(), late]);
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
  return new GatewayError("unavailable", "UNAVAILABLE", "Storage did not answer. Try again in a moment.");
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
 * A D1 session whose queries end within `DURATIONS.storage` or as `unavailable`; a broken constraint keeps its own error, and so
 * does a missing search index: callers decide what those mean.
 */
export function guardSession(session: Session, timings: Timings): GuardedSession {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

  function wrap(statement: D1PreparedStatement): D1PreparedStatement {
    const wrapped = new Proxy(statement, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== "function") return value;
        if (property === "bind") return (...values: unknown[]) => wrap(target.bind(...values));
        return (...values: unknown[]) => guarded(timings, async (): Promise<unknown> => value.apply(target, values));
      },
    });
    originals.set(wrapped, statement);
    return wrapped;
  }

  return {
    prepare: (query) => wrap(session.prepare(query)),
    batch: <T>(statements: D1PreparedStatement[]) =>
      guarded(timings, () => session.batch<T>(statements.map((statement) => originals.get(statement) ?? statement))),
    exec: () => Promise.reject(new Error("exec is not used")),
    dump: () => Promise.reject(new Error("dump is not used")),
    withSession: () => {
      throw new Error("already a session");
    },
  };
}
