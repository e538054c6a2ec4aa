// Stores console sessions in D1. Ended sessions have no row. `identity.ts` reads the caller of a session together with everything else a
// request needs.

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
 * Creates a session and deletes the browser's previous one. If the user has too many sessions, the least recently used ones end. Runs as
 * one batch so that it can be audited.
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

/** Returns a live session by id. */
export async function readSession(db: Database, id: string): Promise<SessionRow | null> {
  const [row] = await db
    .select()
    .from(consoleSessions)
    .where(and(eq(consoleSessions.id, id), LIVE));
  return row ?? null;
}

/** Returns live sessions of one user or of everybody, newest first, after the cursor `(createdAt, id)`. */
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

/** Ends a session immediately. Returns `false` if it does not exist. */
export async function endSession(db: Database, id: string): Promise<boolean> {
  const [rows] = await db.batch([
    db.delete(consoleSessions).where(eq(consoleSessions.id, id)).returning({ id: consoleSessions.id }),
  ]);
  return rows.length > 0;
}

/** Updates the time of last use, at most once per interval. */
export async function noteSessionUse(db: Database, id: string, now: number, since: number): Promise<void> {
  await db
    .update(consoleSessions)
    .set({ lastUsedAt: now })
    .where(and(eq(consoleSessions.id, id), lt(consoleSessions.lastUsedAt, since)));
}

/** Deletes expired sessions. */
export async function deleteExpiredSessions(db: Database, before: number): Promise<void> {
  await db.delete(consoleSessions).where(lt(consoleSessions.expiresAt, before));
}
