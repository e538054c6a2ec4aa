// Stores OAuth clients in D1.

import { and, eq, gt, lt, sql } from "drizzle-orm";
import { SIGN_IN_TIMES } from "../../../domain/sign-in/limits";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { oauthClients } from "../schema/sign-in-pages";

export type ClientRow = typeof oauthClients.$inferSelect;
export type NewClient = Pick<ClientRow, "id" | "name" | "host" | "redirectUris">;

/** Returns a client by id, unless its record has expired. */
export async function readClient(db: Database, id: string): Promise<ClientRow | null> {
  const [row] = await db
    .select()
    .from(oauthClients)
    .where(and(eq(oauthClients.id, id), gt(oauthClients.expiresAt, databaseNow)));
  return row ?? null;
}

/** Stores a client's metadata. It replaces an earlier record and never shortens a longer validity. */
export async function putClient(
  db: Database,
  { id, name, host, redirectUris }: NewClient,
  life: number,
): Promise<void> {
  const expiresAt = sql<number>`${databaseNow} + ${life}`;
  // A document is valid as long as its latest response says. A repeated registration can only extend the validity.
  const until = host === null ? sql`max(${oauthClients.expiresAt}, ${expiresAt})` : expiresAt;
  await db
    .insert(oauthClients)
    .values({ id, name, host, redirectUris, expiresAt })
    .onConflictDoUpdate({ target: oauthClients.id, set: { name, host, redirectUris, expiresAt: until } });
}

/** Statement that records an approval, which extends the validity of a registered client. It belongs in the batch of the approval. */
export function recordApproval(db: Database, id: string) {
  const expiry = sql`CASE WHEN ${oauthClients.host} IS NULL THEN ${databaseNow} + ${SIGN_IN_TIMES.clientKept} ELSE ${oauthClients.expiresAt} END`;
  return db.update(oauthClients).set({ approvedAt: databaseNow, expiresAt: expiry }).where(eq(oauthClients.id, id));
}

/** Deletes clients without a recent approval, and expired documents. */
export async function deleteUnusedClients(db: Database, before: number): Promise<void> {
  await db.delete(oauthClients).where(lt(oauthClients.expiresAt, before));
}
