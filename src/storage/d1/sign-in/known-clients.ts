// Programs in D1 that admins have made known.

import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { knownClientId } from "../../../domain/sign-in/known";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { grants } from "../schema/sign-in";
import { knownClients } from "../schema/sign-in-pages";

export type KnownClientRow = typeof knownClients.$inferSelect;
export type NewKnownClient = Omit<KnownClientRow, "createdAt" | "updatedAt">;

/**
 * Stores a program under its name; one that is there keeps its secret. `null` when there are `most` others. `created`: the secret that
 * was given is now its own.
 */
export async function putKnownClient(
  db: Database,
  client: NewKnownClient,
  most: number,
): Promise<{ row: KnownClientRow; created: boolean } | null> {
  const { name, displayName, redirectUris, secretHash, createdBy } = client;
  const [rows] = await db.batch([
    db
      .insert(knownClients)
      .select(
        // By position: the columns in the order of the schema.
        sql`SELECT ${name}, ${displayName}, ${JSON.stringify(redirectUris)}, ${secretHash}, ${createdBy}, ${databaseNow}, ${databaseNow}
          WHERE (SELECT count(*) FROM ${knownClients} WHERE ${knownClients.name} <> ${name}) < ${most}`,
      )
      .onConflictDoUpdate({ target: knownClients.name, set: { displayName, redirectUris, updatedAt: databaseNow } })
      .returning(),
  ]);
  const [row] = rows;
  return row === undefined ? null : { row, created: row.secretHash === secretHash };
}

export async function readKnownClient(db: Database, name: string): Promise<KnownClientRow | null> {
  const [row] = await db.select().from(knownClients).where(eq(knownClients.name, name));
  return row ?? null;
}

/** Programs by name, after the cursor's. */
export function listKnownClients(db: Database, limit: number, after: string | null): Promise<KnownClientRow[]> {
  return db
    .select()
    .from(knownClients)
    .where(after === null ? undefined : gt(knownClients.name, after))
    .orderBy(asc(knownClients.name))
    .limit(limit);
}

/** Forgets a program and ends what users gave it; `false` when there was none. */
export async function deleteKnownClient(db: Database, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db.delete(knownClients).where(eq(knownClients.name, name)).returning({ name: knownClients.name }),
    db
      .update(grants)
      .set({ endedAt: databaseNow, endedBy: "client_deleted" })
      .where(and(eq(grants.clientId, knownClientId(name)), isNull(grants.endedAt))),
  ]);
  return gone.length > 0;
}
