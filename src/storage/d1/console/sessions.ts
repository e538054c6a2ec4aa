// Sessions of the console in D1. One that has ended has no row, so there is nothing to forget but the time. Who calls with one is read
// with all else that a request must know: `identity.ts`.

import { and, desc, eq, lt, sql } from "drizzle-orm";
import { SESSION_TIMES } from "../../../domain/console/session";
import type { Database } from "../database";
import { consoleSessions } from "../schema/console";
import { now as databaseNow, keys } from "../schema/registry";

export type SessionRow = typeof consoleSessions.$inferSelect;
export type SessionToStore = Omit<SessionRow, "createdAt" | "lastUsedAt">;

const LIVE = sql`${consoleSessions.expiresAt} > ${databaseNow} AND ${consoleSessions.lastUsedAt} > ${databaseNow} - ${SESSION_TIMES.idle}
  AND (${consoleSessions.keyId} IS NULL OR EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.id} = ${consoleSessions.keyId}
    AND ${keys.revokedAt} IS NULL AND (${keys.expiresAt} IS NULL OR ${keys.expiresAt} > ${databaseNow})))`;

/**
 * Begins a session in the place of the one that this browser had, if it had one. Of too many of a user those end that were used longest
 * ago. One batch, so that it can be audited.
 */
export async function insertSession(
  db: Database,
  session: SessionToStore,
  most: number,
  before: { id: string; hash: string } | null,
): Promise<void> {
  const { id, hash } = before ?? { id: "", hash: "" };
  await db.batch([
    db.insert(consoleSessions).values(session),
    db.delete(consoleSessions).where(and(eq(consoleSessions.id, id), eq(consoleSessions.hash, hash))),
    db.delete(consoleSessions).where(
      sql`${consoleSessions.id} IN (SELECT id FROM console_sessions AS own WHERE own.user_id = ${session.userId}
        ORDER BY own.id = ${session.id} DESC, own.last_used_at DESC, own.id DESC LIMIT -1 OFFSET ${most})`,
    ),
  ]);
}

/** A session that goes on, by its id. */
export async function readSession(db: Database, id: string): Promise<SessionRow | null> {
  const [row] = await db
    .select()
    .from(consoleSessions)
    .where(and(eq(consoleSessions.id, id), LIVE));
  return row ?? null;
}

/** Sessions that go on, newest first, after the cursor's `(createdAt, id)`: of one user, or everybody's. */
export function listSessions(
  db: Database,
  userId: string | null,
  limit: number,
  after: { createdAt: number; id: string } | null,
): Promise<SessionRow[]> {
  const older =
    after === null
      ? undefined
      : sql`(${consoleSessions.createdAt}, ${consoleSessions.id}) < (${after.createdAt}, ${after.id})`;
  const whose = userId === null ? undefined : eq(consoleSessions.userId, userId);
  return db
    .select()
    .from(consoleSessions)
    .where(and(LIVE, whose, older))
    .orderBy(desc(consoleSessions.createdAt), desc(consoleSessions.id))
    .limit(limit);
}

/** Ends a session at once; `false` when there is none of that id. */
export async function endSession(db: Database, id: string): Promise<boolean> {
  const [rows] = await db.batch([
    db.delete(consoleSessions).where(eq(consoleSessions.id, id)).returning({ id: consoleSessions.id }),
  ]);
  return rows.length > 0;
}

/** Notes that a session was used, unless that was noted since. */
export async function noteSessionUse(db: Database, id: string, now: number, since: number): Promise<void> {
  await db
    .update(consoleSessions)
    .set({ lastUsedAt: now })
    .where(and(eq(consoleSessions.id, id), lt(consoleSessions.lastUsedAt, since)));
}

/** Forgets sessions whose time is over. */
export async function deleteExpiredSessions(db: Database, before: number): Promise<void> {
  await db.delete(consoleSessions).where(lt(consoleSessions.expiresAt, before));
}
