// Stores read-only links in D1: URLs that read skills without a key.

import { and, desc, eq, gt, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../database";
import { links } from "../schema/compat";
import { now as databaseNow, skills } from "../schema/registry";

export type SharedLinkRow = typeof links.$inferSelect;
export type NewSharedLink = Pick<
  SharedLinkRow,
  "id" | "hash" | "userId" | "credential" | "name" | "reads" | "skills" | "expiresAt"
>;

/** Stores a link if its user has fewer than `most` live links; returns `null` otherwise. */
export async function insertSharedLink(
  db: Database,
  link: NewSharedLink,
  at: number,
  most: number,
): Promise<SharedLinkRow | null> {
  const { id, hash, userId, credential, name, reads, expiresAt } = link;
  const [rows] = await db.batch([
    db
      .insert(links)
      .select(
        sql`SELECT ${id}, ${hash}, ${userId}, ${credential}, ${name}, ${reads}, ${JSON.stringify(link.skills)}, ${databaseNow},
          ${expiresAt}, NULL, 0, NULL WHERE (SELECT count(*) FROM links WHERE user_id = ${userId} AND revoked_at IS NULL
            AND expires_at > ${at}) < ${most}`,
      )
      .returning(),
  ]);
  return rows[0] ?? null;
}

/** Returns a user's live links, newest first. */
export function listLinks(db: Database, userId: string, at: number): Promise<SharedLinkRow[]> {
  return db
    .select()
    .from(links)
    .where(and(eq(links.userId, userId), isNull(links.revokedAt), gt(links.expiresAt, at)))
    .orderBy(desc(links.createdAt), desc(links.id));
}

/** Returns a link by id, live or not. */
export async function readSharedLink(db: Database, id: string): Promise<SharedLinkRow | null> {
  const [found] = await db.select().from(links).where(eq(links.id, id));
  return found ?? null;
}

/** Revokes a link. Returns `false` if it does not exist or was already revoked. */
export async function revokeLink(db: Database, id: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .update(links)
      .set({ revokedAt: databaseNow })
      .where(and(eq(links.id, id), isNull(links.revokedAt)))
      .returning({ id: links.id }),
  ]);
  return gone.length > 0;
}

/** Counts one use of a link. */
export async function noteLinkUse(db: Database, id: string, at: number): Promise<void> {
  await db
    .update(links)
    .set({ uses: sql`${links.uses} + 1`, lastUsedAt: at })
    .where(eq(links.id, id));
}

/** Deletes links that ended before this time. */
export async function deleteExpiredSharedLinks(db: Database, before: number): Promise<void> {
  await db.delete(links).where(lt(links.expiresAt, before));
}

/** Returns the scopes of skills by id. Deleted skills are absent. */
export async function readScopesOf(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: skills.id, scope: skills.scope })
    .from(skills)
    .where(sql`${skills.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Map(rows.map(({ id, scope }) => [id, scope]));
}
