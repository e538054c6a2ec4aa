// Whether storage answers, for everybody who asks for the gateway's health.

import { DURATIONS } from "../domain/durations";
import { guarded } from "../storage/d1/database";

/** What was found when storage was last looked at. */
export interface StorageHealth {
  /** Milliseconds since the epoch. */
  at: number;
  d1: "ok" | "failed";
  r2: "ok" | "failed";
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
  const [d1, r2] = await Promise.all([
    works(() => database.prepare("SELECT 1 FROM counters LIMIT 1").first()),
    works(() => packages.head("health")),
  ]);
  const found = { at: Date.now(), d1, r2 };
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
