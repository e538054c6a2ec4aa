// Checks whether storage answers, for `/health`.

import { DURATIONS } from "../domain/durations";
import { guarded, SEARCH_TABLE } from "../storage/d1/database";

/** One statement reads a table and checks whether the search index exists. */
const LOOK = `SELECT (SELECT 1 FROM counters LIMIT 1), (SELECT name FROM sqlite_master WHERE name = '${SEARCH_TABLE}') AS found`;

/** Result of the last check. */
export interface StorageHealth {
  /** Milliseconds since the epoch. */
  at: number;
  d1: "ok" | "failed";
  r2: "ok" | "failed";
  /** The full-text index; `failed` if D1 does not answer. */
  search: "ok" | "failed" | "absent";
}

/** The last result per database, and the time of the next check. */
const last = new WeakMap<D1Database, { found: StorageHealth; due: number }>();

/**
 * Returns the state of D1 and R2. The endpoint is public, so one request per isolate checks for all within `DURATIONS.health`. During a
 * check, other requests receive the previous result, if it is recent enough.
 */
export async function storageHealth(database: D1Database, packages: R2Bucket): Promise<StorageHealth> {
  const now = Date.now();
  const known = last.get(database);
  if (known !== undefined) {
    if (now < known.due) return known.found;
    // The promise is not shared: if it depends on the I/O of a cancelled request, it never settles.
    known.due = Math.min(now, known.found.at + DURATIONS.health) + DURATIONS.storage;
  }
  let search: StorageHealth["search"] = "failed";
  const [d1, r2] = await Promise.all([
    works(async () => {
      const name = await database.prepare(LOOK).first<string | null>("found");
      search = name === null ? "absent" : "ok";
    }),
    works(() => packages.head("health")),
  ]);
  const found = { at: Date.now(), d1, r2, search };
  last.set(database, { found, due: found.at + DURATIONS.health });
  return found;
}

async function works(check: () => Promise<unknown>): Promise<"ok" | "failed"> {
  try {
    await guarded({ storage: 0 }, check);
    return "ok";
  } catch {
    return "failed";
  }
}
