// Stores trusted publishers and the keys of their CI jobs.

import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { PUBLIC_SCOPE } from "../../domain/access/access";
import { constraintOf, type Database } from "./database";
import { publishers, publishingKeys } from "./schema/publishers";
import { now } from "./schema/registry";

export type PublisherRow = typeof publishers.$inferSelect;
export type NewPublisher = Omit<PublisherRow, "createdAt" | "updatedAt" | "lastUsedAt" | "refusedAt" | "refusedFor">;
export type NewPublishingKey = typeof publishingKeys.$inferInsert;

/** Stores a whole publisher under its scope and name. Keys of its earlier revision end. Returns `null` if the scope is full. */
export async function putPublisher(
  db: Database,
  publisher: NewPublisher,
  most: number,
): Promise<{ row: PublisherRow; created: boolean } | null> {
  const { id, scope, name, issuer, audience, claims, skills, keyMinutes, revision, createdBy } = publisher;
  const same = and(eq(publishers.scope, scope), eq(publishers.name, name));
  const others = sql`SELECT count(*) FROM ${publishers} WHERE ${publishers.scope} = ${scope} AND ${publishers.name} <> ${name}`;
  const [, after] = await db.batch([
    db
      .insert(publishers)
      .select(
        sql`SELECT ${id}, ${scope}, ${name}, ${issuer}, ${audience}, ${JSON.stringify(claims)}, ${JSON.stringify(skills)},
          ${keyMinutes}, ${revision}, ${createdBy}, ${now}, ${now}, NULL, NULL, NULL WHERE (${others}) < ${most}`,
      )
      .onConflictDoUpdate({
        target: [publishers.scope, publishers.name],
        set: {
          ...{ issuer, audience, claims, skills, keyMinutes, revision, createdBy, updatedAt: now },
          ...{ refusedAt: null, refusedFor: null },
        },
      }),
    db.select().from(publishers).where(same),
  ]);
  const [row] = after;
  return row === undefined ? null : { row, created: row.id === id };
}

/** Returns a publisher by scope and name. */
export async function readPublisher(db: Database, scope: string, name: string): Promise<PublisherRow | null> {
  const [found] = await db
    .select()
    .from(publishers)
    .where(and(eq(publishers.scope, scope), eq(publishers.name, name)));
  return found ?? null;
}

/** Returns publishers of a scope by name, after the cursor. */
export function listPublishers(
  db: Database,
  scope: string,
  limit: number,
  after: string | null,
): Promise<PublisherRow[]> {
  return db
    .select()
    .from(publishers)
    .where(and(eq(publishers.scope, scope), after === null ? undefined : gt(publishers.name, after)))
    .orderBy(asc(publishers.name))
    .limit(limit);
}

/** Deletes a publisher, which ends its keys. Returns `false` if it does not exist. */
export async function deletePublisher(db: Database, scope: string, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(publishers)
      .where(and(eq(publishers.scope, scope), eq(publishers.name, name)))
      .returning({ id: publishers.id }),
  ]);
  return gone.length > 0;
}

/** Returns the publisher with this id, or without an id the public ones of an issuer. */
export function findPublishers(db: Database, id: string | null, issuer: string, most: number): Promise<PublisherRow[]> {
  const wanted =
    id === null ? and(eq(publishers.scope, PUBLIC_SCOPE), eq(publishers.issuer, issuer)) : eq(publishers.id, id);
  return db.select().from(publishers).where(wanted).limit(most);
}

/**
 * Stores a key of a publisher, if the publisher is unchanged. Returns `replayed` if its token was exchanged before, and `changed` if the
 * publisher is not.
 */
export async function insertPublishingKey(
  db: Database,
  key: NewPublishingKey,
): Promise<"stored" | "replayed" | "changed"> {
  const isCurrent = and(eq(publishers.id, key.publisherId), eq(publishers.revision, key.revision));
  const { id, hash, publisherId, revision, token, provenance, createdAt, expiresAt, keptUntil } = key;
  try {
    const [made] = await db.batch([
      db
        .insert(publishingKeys)
        .select(
          sql`SELECT ${id}, ${hash}, ${publisherId}, ${revision}, ${token}, ${JSON.stringify(provenance)}, ${createdAt},
            ${expiresAt}, ${keptUntil} FROM ${publishers} WHERE ${isCurrent}`,
        )
        .returning({ id: publishingKeys.id }),
      db.update(publishers).set({ lastUsedAt: createdAt }).where(isCurrent),
    ]);
    return made.length > 0 ? "stored" : "changed";
  } catch (error) {
    if (constraintOf(error)?.includes("publishing_keys.token") === true) return "replayed";
    throw error;
  }
}

/** Stores why a publisher's token was refused. Returns `false` if a refusal was stored after `since`, which then stays. */
export async function noteRefusal(
  db: Database,
  id: string,
  { at, reason, since }: { at: number; reason: string; since: number },
): Promise<boolean> {
  const noted = await db
    .update(publishers)
    .set({ refusedAt: at, refusedFor: reason })
    .where(and(eq(publishers.id, id), sql`coalesce(${publishers.refusedAt}, 0) <= ${since}`))
    .returning({ id: publishers.id });
  return noted.length > 0;
}

/** Deletes keys of which neither the key nor the token is valid. */
export async function deleteExpiredPublishingKeys(db: Database, until: number): Promise<void> {
  await db.delete(publishingKeys).where(lte(publishingKeys.keptUntil, until));
}
