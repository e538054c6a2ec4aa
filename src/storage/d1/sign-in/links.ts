// Stores single-use sign-in links in D1.

import { and, eq, gt, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { SIGN_IN_TIMES } from "../../../domain/sign-in/limits";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { signInLinks } from "../schema/sign-in-pages";

export type LinkRow = typeof signInLinks.$inferSelect;
export type NewLink = Pick<LinkRow, "id" | "hash" | "userId" | "createdBy" | "session">;

/** Stores a link. Returns `null` if the user has `most` unused links. Runs as one batch so that it can be audited. */
export async function insertLink(db: Database, link: NewLink, most: number): Promise<{ expiresAt: number } | null> {
  const { id, hash, userId, createdBy } = link;
  const session = link.session === null ? null : JSON.stringify(link.session);
  const [rows] = await db.batch([
    db
      .insert(signInLinks)
      .select(
        // Values by position: the columns in the order of the schema.
        sql`SELECT ${id}, ${hash}, ${userId}, ${createdBy}, NULL, NULL, ${databaseNow}, ${databaseNow} + ${SIGN_IN_TIMES.link}, ${session}
          WHERE (SELECT count(*) FROM ${signInLinks} WHERE ${signInLinks.userId} = ${userId} AND ${signInLinks.usedFor} IS NULL
            AND ${signInLinks.expiresAt} > ${databaseNow}) < ${most}`,
      )
      .returning({ expiresAt: signInLinks.expiresAt }),
  ]);
  return rows[0] ?? null;
}

const unused = () => and(isNull(signInLinks.usedFor), gt(signInLinks.expiresAt, databaseNow));
/** A console link starts only a console session; other links never do. */
const waits = () => and(unused(), isNull(signInLinks.session));

/** Returns an unused link by the digest of its secret. Reading does not use it. */
export async function readLink(db: Database, hash: string): Promise<LinkRow | null> {
  const [row] = await db
    .select()
    .from(signInLinks)
    .where(and(eq(signInLinks.hash, hash), waits()));
  return row ?? null;
}

/** Returns the unused link that this browser has opened. */
export async function readOpenedLink(db: Database, browser: string): Promise<LinkRow | null> {
  const [row] = await db
    .select()
    .from(signInLinks)
    .where(and(eq(signInLinks.browser, browser), waits()));
  return row ?? null;
}

/** Binds a link to a browser. Returns `false` if it was opened or used before, or has expired. */
export async function openLink(db: Database, hash: string, browser: string): Promise<boolean> {
  const rows = await db
    .update(signInLinks)
    .set({ browser })
    .where(and(eq(signInLinks.hash, hash), isNull(signInLinks.browser), waits()))
    .returning({ id: signInLinks.id });
  return rows.length > 0;
}

/**
 * Uses a link for a sign-in: by its secret if no browser has opened it, else by the browser that has. Returns `null` if it cannot be used.
 */
export async function spendLink(
  db: Database,
  shown: { hash: string } | { browser: string },
  pageId: string,
): Promise<LinkRow | null> {
  const mine =
    "hash" in shown
      ? and(eq(signInLinks.hash, shown.hash), isNull(signInLinks.browser))
      : eq(signInLinks.browser, shown.browser);
  const [row] = await db.update(signInLinks).set({ usedFor: pageId }).where(and(mine, waits())).returning();
  return row ?? null;
}

/** Uses a console link for a session. Returns `null` if it cannot be used or is not a console link. */
export async function spendConsoleLink(db: Database, hash: string, sessionId: string): Promise<LinkRow | null> {
  const [row] = await db
    .update(signInLinks)
    .set({ usedFor: sessionId })
    .where(and(eq(signInLinks.hash, hash), isNotNull(signInLinks.session), unused()))
    .returning();
  return row ?? null;
}

/** Deletes expired links. */
export async function deleteExpiredLinks(db: Database, before: number): Promise<void> {
  await db.delete(signInLinks).where(lt(signInLinks.expiresAt, before));
}
