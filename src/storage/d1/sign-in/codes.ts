// Stores authorization codes in D1. The exchanging statement checks all conditions, with the database's clock.

import { eq, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { grantCodes } from "../schema/sign-in";

export type CodeRow = typeof grantCodes.$inferSelect;
/** A code before it is stored. */
export type NewCode = Omit<CodeRow, "createdAt" | "expiresAt" | "claimedBy">;

/** Statement that stores a code for `life` milliseconds if `when` holds. It belongs in the batch of the consent. */
export function insertCode(db: Database, code: NewCode, life: number, when: SQL = sql`true`) {
  // Values by position: the columns in the order of the schema.
  return db
    .insert(grantCodes)
    .select(
      sql`SELECT ${code.hash}, ${code.userId}, ${code.via}, ${code.viaId}, ${code.keyId}, ${JSON.stringify(code.claimed)},
        ${code.clientId}, ${code.clientName}, ${code.resource}, ${code.redirectUri}, ${code.challenge}, ${code.grantUntil},
        ${databaseNow}, ${databaseNow} + ${life}, NULL WHERE ${when}`,
    )
    .returning({ hash: grantCodes.hash });
}

/** Returns a code, valid or not. */
export async function readCode(db: Database, hash: string): Promise<CodeRow | null> {
  const found = await db.select().from(grantCodes).where(eq(grantCodes.hash, hash));
  return found[0] ?? null;
}

/** Deletes codes that expired before this time. */
export async function deleteExpiredCodes(db: Database, before: number): Promise<void> {
  await db.delete(grantCodes).where(lt(grantCodes.expiresAt, before));
}
