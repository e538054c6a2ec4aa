// Stores pre-registered OAuth clients in D1.

import { and, asc, eq, gt, isNull, sql } from "drizzle-orm";
import { preRegisteredClientId } from "../../../domain/sign-in/pre-registered";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { grants } from "../schema/sign-in";
import { preRegisteredClients } from "../schema/sign-in-pages";

export type PreRegisteredClientRow = typeof preRegisteredClients.$inferSelect;
export type NewPreRegisteredClient = Omit<PreRegisteredClientRow, "createdAt" | "updatedAt">;

/**
 * Stores a client under its name. An existing client keeps its secret. Returns `null` if there are `most` others. `created`: the given
 * secret was stored.
 */
export async function putPreRegisteredClient(
  db: Database,
  client: NewPreRegisteredClient,
  most: number,
): Promise<{ row: PreRegisteredClientRow; created: boolean } | null> {
  const { name, displayName, redirectUris, secretHash, createdBy } = client;
  const [rows] = await db.batch([
    db
      .insert(preRegisteredClients)
      .select(
        // Values by position: the columns in the order of the schema.
        sql`SELECT ${name}, ${displayName}, ${JSON.stringify(redirectUris)}, ${secretHash}, ${createdBy}, ${databaseNow}, ${databaseNow}
          WHERE (SELECT count(*) FROM ${preRegisteredClients} WHERE ${preRegisteredClients.name} <> ${name}) < ${most}`,
      )
      .onConflictDoUpdate({
        target: preRegisteredClients.name,
        set: { displayName, redirectUris, updatedAt: databaseNow },
      })
      .returning(),
  ]);
  const [row] = rows;
  return row === undefined ? null : { row, created: row.secretHash === secretHash };
}

export async function readPreRegisteredClient(db: Database, name: string): Promise<PreRegisteredClientRow | null> {
  const [row] = await db.select().from(preRegisteredClients).where(eq(preRegisteredClients.name, name));
  return row ?? null;
}

/** Returns clients by name, after the cursor. */
export function listPreRegisteredClients(
  db: Database,
  limit: number,
  after: string | null,
): Promise<PreRegisteredClientRow[]> {
  return db
    .select()
    .from(preRegisteredClients)
    .where(after === null ? undefined : gt(preRegisteredClients.name, after))
    .orderBy(asc(preRegisteredClients.name))
    .limit(limit);
}

/** Deletes a client and ends its grants. Returns `false` if it does not exist. */
export async function deletePreRegisteredClient(db: Database, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(preRegisteredClients)
      .where(eq(preRegisteredClients.name, name))
      .returning({ name: preRegisteredClients.name }),
    db
      .update(grants)
      .set({ endedAt: databaseNow, endedBy: "client_deleted" })
      .where(and(eq(grants.clientId, preRegisteredClientId(name)), isNull(grants.endedAt))),
  ]);
  return gone.length > 0;
}
