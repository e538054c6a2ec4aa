// Programs in D1 that want to sign their users in.

import { and, eq, gt, lt, sql } from "drizzle-orm";
import { SIGN_IN_TIMES } from "../../../domain/sign-in/limits";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { oauthClients } from "../schema/sign-in-pages";

export type ClientRow = typeof oauthClients.$inferSelect;
export type NewClient = Pick<ClientRow, "id" | "name" | "host" | "redirectUris">;

/** A program by its id, unless what is known of it has ended. */
export async function readClient(db: Database, id: string): Promise<ClientRow | null> {
  const [row] = await db
    .select()
    .from(oauthClients)
    .where(and(eq(oauthClients.id, id), gt(oauthClients.expiresAt, databaseNow)));
  return row ?? null;
}

/** Stores what is known of a program for so long; what was known before gives way, and what counts longer does not get shorter. */
export async function putClient(
  db: Database,
  { id, name, host, redirectUris }: NewClient,
  life: number,
): Promise<void> {
  const expiresAt = sql<number>`${databaseNow} + ${life}`;
  // A document's life is what its answer says now; a registration that comes again only gains.
  const until = host === null ? sql`max(${oauthClients.expiresAt}, ${expiresAt})` : expiresAt;
  await db
    .insert(oauthClients)
    .values({ id, name, host, redirectUris, expiresAt })
    .onConflictDoUpdate({ target: oauthClients.id, set: { name, host, redirectUris, expiresAt: until } });
}

/** A statement that notes an approval, which keeps a program that registered itself. It belongs in the batch of the approval. */
export function recordApproval(db: Database, id: string) {
  const kept = sql`CASE WHEN ${oauthClients.host} IS NULL THEN ${databaseNow} + ${SIGN_IN_TIMES.clientKept} ELSE ${oauthClients.expiresAt} END`;
  return db.update(oauthClients).set({ approvedAt: databaseNow, expiresAt: kept }).where(eq(oauthClients.id, id));
}

/** Forgets programs that were not approved for too long, and documents that do not count any more. */
export async function deleteUnusedClients(db: Database, before: number): Promise<void> {
  await db.delete(oauthClients).where(lt(oauthClients.expiresAt, before));
}
