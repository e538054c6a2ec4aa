// Codes in D1. What of a code counts is decided by the statement that takes it, by the database's clock.

import { eq, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { grantCodes } from "../schema/sign-in";

export type CodeRow = typeof grantCodes.$inferSelect;
/** A code before it is stored. */
export type NewCode = Omit<CodeRow, "createdAt" | "expiresAt" | "claimedBy">;

/**
 * A statement that stores a code for `life` milliseconds, unless `when` is untrue: it belongs in the batch of the consent that it is
 * the fruit of.
 */
export function insertCode(db: Database, code: NewCode, life: number, when: SQL = sql`true`) {
  // By position: the columns in the order of the schema.
  return db
    .insert(grantCodes)
    .select(
      sql`SELECT ${code.hash}, ${code.userId}, ${code.via}, ${code.viaId}, ${code.keyId}, ${JSON.stringify(code.claimed)},
        ${code.clientId}, ${code.clientName}, ${code.resource}, ${code.redirectUri}, ${code.challenge}, ${code.grantUntil},
        ${databaseNow}, ${databaseNow} + ${life}, NULL WHERE ${when}`,
    )
    .returning({ hash: grantCodes.hash });
}

/** What is known of a code, whether it counts or not. */
export async function readCode(db: Database, hash: string): Promise<CodeRow | null> {
  const found = await db.select().from(grantCodes).where(eq(grantCodes.hash, hash));
  return found[0] ?? null;
}

/** Forgets codes that ended before. */
export async function deleteExpiredCodes(db: Database, before: number): Promise<void> {
  await db.delete(grantCodes).where(lt(grantCodes.expiresAt, before));
}
