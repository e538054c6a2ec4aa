// Stores users' connections to MCP servers in D1. Tokens are encrypted. Each change of what a user is connected to raises the user's counter,
// so that no isolate uses an earlier state.

import { and, asc, count, eq, gt, lt, ne, sql } from "drizzle-orm";
import { GATEWAY_SCOPE, userScope } from "../../../domain/access/access";
import type { ConnectedServer, ConnectionEnd } from "../../../domain/connections/connection";
import type { Database } from "../database";
import { raiseCounters } from "../keys";
import { connections } from "../schema/connections";
import { now as databaseNow } from "../schema/registry";

export type ConnectionRow = typeof connections.$inferSelect;
type NewConnection = Omit<
  ConnectionRow,
  | "generation"
  | "lease"
  | "leaseUntil"
  | "expiresAt"
  | "refreshedAt"
  | "endedBy"
  | "createdAt"
  | "updatedAt"
  | "proofUntil"
> & {
  /** Milliseconds until the access token ends; `null` if unknown. */
  life: number | null;
  /** Milliseconds in which a pending connection can be proved. */
  proofLife: number | null;
};

/** SQL: a time after now, or NULL. */
const after = (ms: number | null) => (ms === null ? sql<null>`NULL` : sql<number>`${databaseNow} + ${ms}`);

/**
 * Stores a connection and returns the earlier ones that it replaces. An active connection replaces all of the user to this server, a
 * pending one only another pending one. `made` is false if the user has too many.
 */
export async function putConnection(
  db: Database,
  { life, proofLife, ...row }: NewConnection,
  most: number,
): Promise<{ made: boolean; before: ConnectionRow[] }> {
  const same = and(
    ...[eq(connections.userId, row.userId), eq(connections.scope, row.scope), eq(connections.server, row.server)],
    row.state === "pending" ? eq(connections.state, "pending") : undefined,
  );
  const [before, , made] = await db.batch([
    db.select().from(connections).where(same),
    db.delete(connections).where(same),
    db
      .insert(connections)
      .select(
        sql`SELECT ${row.id}, ${row.userId}, ${row.scope}, ${row.server}, ${row.url}, ${row.issuer}, ${row.resource},
          ${JSON.stringify(row.endpoints)}, ${row.keyId}, ${row.iv}, ${row.ciphertext}, ${row.granted}, ${row.state}, ${row.proof},
          ${after(proofLife)}, 0, NULL, NULL, ${after(life)}, NULL, NULL, ${databaseNow}, ${databaseNow}
          WHERE (SELECT count(*) FROM ${connections} WHERE ${connections.userId} = ${row.userId}) < ${most}`,
      )
      .returning({ id: connections.id }),
    raiseCounters(db, [userScope(row.userId)]),
  ]);
  return { made: made.length > 0, before };
}

/** Activates a pending connection with its proof. Returns it with those that it replaces; `null` if there is none to activate. */
export async function activateConnection(
  db: Database,
  { id, userId, proof }: { id: string; userId: string; proof: string },
): Promise<{ row: ConnectionRow; before: ConnectionRow[] } | null> {
  const proved = and(
    ...[eq(connections.id, id), eq(connections.userId, userId), eq(connections.state, "pending")],
    ...[eq(connections.proof, proof), gt(connections.proofUntil, databaseNow)],
  );
  const theSame = and(
    ...[eq(connections.userId, userId), ne(connections.id, id)],
    sql`(${connections.scope}, ${connections.server}) IN (SELECT scope, server FROM ${connections} WHERE ${proved})`,
  );
  const [before, , rows] = await db.batch([
    db.select().from(connections).where(theSame),
    db.delete(connections).where(theSame),
    db
      .update(connections)
      .set({ state: "active", proof: null, proofUntil: null, updatedAt: databaseNow })
      .where(proved)
      .returning(),
    raiseCounters(db, [userScope(userId)]),
  ]);
  const [row] = rows;
  return row === undefined ? null : { row, before };
}

/** Returns all connections of a user. */
export function connectionsOfUser(db: Database, userId: string): Promise<ConnectionRow[]> {
  return db.select().from(connections).where(eq(connections.userId, userId));
}

/**
 * Returns a user's connection to a server as the primary has it, unless it is pending. A statement that changes nothing makes the batch run
 * there.
 */
export async function connectionAtPrimary(
  db: Database,
  userId: string,
  { scope, server }: ConnectedServer,
): Promise<ConnectionRow | null> {
  const same = and(
    ...[eq(connections.userId, userId), eq(connections.scope, scope), eq(connections.server, server)],
    ne(connections.state, "pending"),
  );
  const [, rows] = await db.batch([
    db.update(connections).set({ lease: null }).where(eq(connections.id, "")),
    db.select().from(connections).where(same),
  ]);
  return rows[0] ?? null;
}

/** Returns a page of a user's connections by id, after the cursor. */
export function listConnections(
  db: Database,
  userId: string,
  limit: number,
  afterId: string | null,
): Promise<ConnectionRow[]> {
  const later = afterId === null ? undefined : gt(connections.id, afterId);
  return db
    .select()
    .from(connections)
    .where(and(eq(connections.userId, userId), later))
    .orderBy(asc(connections.id))
    .limit(limit);
}

/** Deletes a user's connection and returns it; `null` if not found. */
export async function deleteConnection(db: Database, userId: string, id: string): Promise<ConnectionRow | null> {
  const [rows] = await db.batch([
    db
      .delete(connections)
      .where(and(eq(connections.id, id), eq(connections.userId, userId)))
      .returning(),
    raiseCounters(db, [userScope(userId)]),
  ]);
  return rows[0] ?? null;
}

/** Ends a connection of this generation. Its tokens are no longer used. Returns `false` if it changed meanwhile. */
export async function endConnection(
  db: Database,
  { id, userId, generation }: Pick<ConnectionRow, "id" | "userId" | "generation">,
  why: ConnectionEnd,
): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(connections)
      .set({ state: "ended", endedBy: why, lease: null, leaseUntil: null, updatedAt: databaseNow })
      .where(and(eq(connections.id, id), eq(connections.generation, generation), ne(connections.state, "ended")))
      .returning({ id: connections.id }),
    raiseCounters(db, [userScope(userId)]),
  ]);
  return rows.length > 0;
}

/**
 * Claims the right to refresh the tokens of this generation, unless another attempt has it. Returns the connection as it is now; `null` if
 * it was deleted.
 */
export async function claimLease(
  db: Database,
  { id, generation }: Pick<ConnectionRow, "id" | "generation">,
  lease: string,
  ms: number,
): Promise<{ isMine: boolean; row: ConnectionRow | null }> {
  const isFree = sql`(${connections.lease} IS NULL OR ${connections.leaseUntil} < ${databaseNow})`;
  const [claimed, rows] = await db.batch([
    db
      .update(connections)
      .set({ lease, leaseUntil: sql`${databaseNow} + ${ms}` })
      .where(
        and(eq(connections.id, id), eq(connections.generation, generation), eq(connections.state, "active"), isFree),
      )
      .returning({ id: connections.id }),
    db.select().from(connections).where(eq(connections.id, id)),
  ]);
  return { isMine: claimed.length > 0, row: rows[0] ?? null };
}

/** Gives up a lease, so that the next attempt need not wait for its end. */
export async function releaseLease(db: Database, id: string, lease: string): Promise<void> {
  await db
    .update(connections)
    .set({ lease: null, leaseUntil: null })
    .where(and(eq(connections.id, id), eq(connections.lease, lease)));
}

/** Stores refreshed tokens and releases the lease. Repeating it changes nothing. Returns the connection; `null` if it changed meanwhile. */
export async function storeRefreshed(
  db: Database,
  { id, generation }: Pick<ConnectionRow, "id" | "generation">,
  lease: string,
  { life, ...tokens }: Pick<ConnectionRow, "keyId" | "iv" | "ciphertext" | "granted"> & { life: number | null },
): Promise<ConnectionRow | null> {
  const [, rows] = await db.batch([
    db
      .update(connections)
      .set({
        ...{ ...tokens, generation: generation + 1, lease: null, leaseUntil: null },
        ...{ expiresAt: after(life), refreshedAt: databaseNow, updatedAt: databaseNow },
      })
      .where(and(eq(connections.id, id), eq(connections.generation, generation), eq(connections.lease, lease))),
    db
      .select()
      .from(connections)
      .where(and(eq(connections.id, id), eq(connections.generation, generation + 1))),
  ]);
  return rows[0] ?? null;
}

/** Returns a user's connection; `null` if not found. */
export async function readConnection(db: Database, userId: string, id: string): Promise<ConnectionRow | null> {
  const [row] = await db
    .select()
    .from(connections)
    .where(and(eq(connections.id, id), eq(connections.userId, userId)));
  return row ?? null;
}

/** Deletes a pending connection whose proof another user brought, and returns it. */
export async function deleteMisproved(
  db: Database,
  { id, userId, proof }: { id: string; userId: string; proof: string },
): Promise<ConnectionRow | null> {
  const [row] = await db
    .delete(connections)
    .where(
      and(
        ...[eq(connections.id, id), eq(connections.state, "pending"), eq(connections.proof, proof)],
        ne(connections.userId, userId),
      ),
    )
    .returning();
  return row ?? null;
}

/** Deletes connections to servers that no longer exist, at most this number, and returns them. */
export function deleteOrphanConnections(db: Database, most: number): Promise<ConnectionRow[]> {
  const orphans = sql`SELECT id FROM ${connections} AS c WHERE NOT EXISTS (SELECT 1 FROM mcp_servers WHERE c.scope = ${GATEWAY_SCOPE}
    AND mcp_servers.name = c.server) AND NOT EXISTS (SELECT 1 FROM own_servers WHERE own_servers.scope = c.scope AND
    own_servers.name = c.server) LIMIT ${most}`;
  return db.delete(connections).where(sql`${connections.id} IN (${orphans})`).returning();
}

/** Returns some of the connections encrypted under other keys, and their number. */
export async function connectionsUnderOtherKeys(db: Database, keyId: string, limit: number) {
  const others = ne(connections.keyId, keyId);
  const [rows, counted] = await db.batch([
    db.select().from(connections).where(others).limit(limit),
    db.select({ count: count() }).from(connections).where(others),
  ]);
  return { rows, count: counted[0]?.count ?? 0 };
}

/** Replaces the encryption of a connection, unless its tokens were refreshed meanwhile. */
export async function reencryptConnection(
  db: Database,
  { id, ciphertext }: Pick<ConnectionRow, "id" | "ciphertext">,
  sealed: Pick<ConnectionRow, "keyId" | "iv" | "ciphertext">,
): Promise<void> {
  await db
    .update(connections)
    .set(sealed)
    .where(and(eq(connections.id, id), eq(connections.ciphertext, ciphertext)));
}

/** Deletes pending connections that were not proved, and returns them. */
export function deleteUnproved(db: Database, before: number): Promise<ConnectionRow[]> {
  return db.delete(connections).where(lt(connections.proofUntil, before)).returning();
}
