// Stores registry events in D1.

import { and, asc, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import { DELETED_EVENTS, type EventInput, type Missed, type RegistryEvent } from "../../domain/events/events";
import { EVENT_LIMITS } from "../../domain/events/limits";
import type { Database } from "./database";
import { events } from "./schema/events";
import { now } from "./schema/registry";

const columns = { seq: events.seq, at: events.at, scope: events.scope, type: events.type, data: events.data };

/** Statement that stores an event if a condition holds. Returns its number. */
export function storeEvent(db: Database, { scope, type, data }: EventInput, only: SQL) {
  return db
    .insert(events)
    .select(sql`SELECT NULL, ${scope}, ${type}, ${JSON.stringify(data)}, ${now} WHERE ${only}`)
    .returning({ seq: events.seq });
}

/** Returns events of all scopes after a number, oldest first. */
export function eventsAfter(db: Database, after: number, limit: number): Promise<RegistryEvent[]> {
  return db.select(columns).from(events).where(gt(events.seq, after)).orderBy(asc(events.seq)).limit(limit);
}

/**
 * Returns what scopes missed since a number, at most one event more than `EVENT_LIMITS.missed`.
 *
 * @param after `null`: only the newest number is read
 */
export async function missedEvents(db: Database, scopes: readonly string[], after: number | null): Promise<Missed> {
  const newest = db.select({ seq: sql<number>`coalesce(max(${events.seq}), 0)` }).from(events);
  if (after === null) {
    const [[row]] = await db.batch([newest]);
    return { newest: row?.seq ?? 0, events: [] };
  }
  const [[row], missed] = await db.batch([
    newest,
    db
      .select(columns)
      .from(events)
      .where(and(inArray(events.scope, [...scopes]), gt(events.seq, after)))
      .orderBy(asc(events.seq))
      .limit(EVENT_LIMITS.missed + 1),
  ]);
  return { newest: row?.seq ?? 0, events: missed };
}

/** Deletes events before this time, and the oldest of scopes with too many. The newest of those becomes a mark, which readers receive. */
export async function deleteOldEvents(db: Database, before: number): Promise<void> {
  const placed = sql`SELECT seq, row_number() OVER (PARTITION BY scope ORDER BY seq DESC) AS place FROM ${events}`;
  const at = (compare: SQL) =>
    sql`${events.seq} IN (SELECT seq FROM (${placed}) WHERE place ${compare} ${EVENT_LIMITS.perScope + 1})`;
  await db.batch([
    db.delete(events).where(lt(events.at, before)),
    db.delete(events).where(at(sql`>`)),
    db.update(events).set({ type: DELETED_EVENTS, data: {} }).where(at(sql`=`)),
  ]);
}
