// Whether storage answers, for everybody who asks for the gateway's health.

import { DURATIONS } from "../domain/durations";
import { guarded, SEARCH_TABLE } from "../storage/d1/database";

/** One statement reads a table of the gateway's own, and finds out whether there is a search index. */
const LOOK = `SELECT (SELECT 1 FROM counters LIMIT 1), (SELECT name FROM sqlite_master WHERE name = '${SEARCH_TABLE}') AS found`;

/** What was found when storage was last looked at. */
export interface StorageHealth {
  /** Milliseconds since the epoch. */
  at: number;
  d1: "ok" | "failed";
  r2: "ok" | "failed";
  /** The full-text index: whether its table is there, or that D1 does not tell. */
  search: "ok" | "failed" | "absent";
}

/** What was found last in a database and its bucket, and from when on somebody should look again. */
const last = new WeakMap<D1Database, { found: StorageHealth; due: number }>();

/**
 * How D1 and R2 are. Anybody may ask, so one request of an isolate looks for all that come within `DURATIONS.health`. While it
 * looks, the others are told what was found before, but nothing older than that and one look may take.
 */
export async function storageHealth(database: D1Database, packages: R2Bucket): Promise<StorageHealth> {
  const now = Date.now();
  const known = last.get(database);
  if (known !== undefined) {
    if (now < known.due) return known.found;
    // No promise is shared: one that hangs on the I/O of another request never settles when that is cancelled.
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
