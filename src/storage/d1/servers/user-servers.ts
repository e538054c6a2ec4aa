// Stores the MCP servers of groups and users in D1. A change raises the counter of the scope, so that views are read again.

import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { JsonObject } from "../../../domain/json";
import type { Database } from "../database";
import { raiseCounters } from "../keys";
import { gatewayServers } from "../mcp-servers";
import { mcpServers, ownServers } from "../schema/access";
import { now } from "../schema/registry";

export type UserServerRow = typeof ownServers.$inferSelect;

/** Stores a whole entry under its scope and name. Returns `null` if the scope is full. */
export async function putUserServer(
  db: Database,
  { scope, name, entry, createdBy }: Pick<UserServerRow, "scope" | "name" | "createdBy"> & { entry: JsonObject },
  most: number,
): Promise<{ row: UserServerRow; created: boolean } | null> {
  const same = and(eq(ownServers.scope, scope), eq(ownServers.name, name));
  const others = sql`SELECT count(*) FROM ${ownServers} WHERE ${ownServers.scope} = ${scope} AND ${ownServers.name} <> ${name}`;
  const [before, , , after] = await db.batch([
    db.select({ name: ownServers.name }).from(ownServers).where(same),
    db
      .insert(ownServers)
      .select(
        sql`SELECT ${scope}, ${name}, ${JSON.stringify(entry)}, ${createdBy}, ${now}, ${now}, NULL WHERE (${others}) < ${most}`,
      )
      .onConflictDoUpdate({
        target: [ownServers.scope, ownServers.name],
        set: { entry, updatedAt: now, downSince: null },
      }),
    raiseCounters(db, [scope]),
    db.select().from(ownServers).where(same),
  ]);
  const [row] = after;
  return row === undefined ? null : { row, created: before.length === 0 };
}

export async function readUserServer(db: Database, scope: string, name: string): Promise<UserServerRow | null> {
  const [found] = await db
    .select()
    .from(ownServers)
    .where(and(eq(ownServers.scope, scope), eq(ownServers.name, name)));
  return found ?? null;
}

/** Returns servers of a scope by name, after the cursor. */
export function listUserServers(
  db: Database,
  scope: string,
  limit: number,
  after: string | null,
): Promise<UserServerRow[]> {
  return db
    .select()
    .from(ownServers)
    .where(and(eq(ownServers.scope, scope), after === null ? undefined : gt(ownServers.name, after)))
    .orderBy(asc(ownServers.name))
    .limit(limit);
}

/** Returns `false` if the server does not exist. */
export async function deleteUserServer(db: Database, scope: string, name: string): Promise<boolean> {
  const [gone] = await db.batch([
    db
      .delete(ownServers)
      .where(and(eq(ownServers.scope, scope), eq(ownServers.name, name)))
      .returning({ name: ownServers.name }),
    raiseCounters(db, [scope]),
  ]);
  return gone.length > 0;
}

/** Statement that reads all entries of these scopes by name. */
export function serversOfScopes(db: Database, scopes: readonly string[]) {
  return db
    .select({ scope: ownServers.scope, name: ownServers.name, entry: ownServers.entry })
    .from(ownServers)
    .where(sql`${ownServers.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`)
    .orderBy(asc(ownServers.name));
}

/** Servers with the columns that a conversation needs. */
export type EveryServer = Awaited<ReturnType<typeof everyServer>>;

/** Returns every server of these scopes and of the gateway, in one round trip. */
export async function everyServer(db: Database, scopes: readonly string[]) {
  const [own, gateway] = await db.batch([serversOfScopes(db, scopes), gatewayServers(db)]);
  return { own, gateway };
}

/** Returns every server with this name in these scopes and of the gateway (scope `null`), in one round trip. */
export async function serversNamed(db: Database, scopes: readonly string[], name: string) {
  const [own, gateway] = await db.batch([
    db
      .select({ scope: ownServers.scope, entry: ownServers.entry })
      .from(ownServers)
      .where(
        and(
          sql`${ownServers.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`,
          eq(ownServers.name, name),
        ),
      ),
    db
      .select({ entry: mcpServers.entry, approved: mcpServers.approved })
      .from(mcpServers)
      .where(eq(mcpServers.name, name)),
  ]);
  return { own, gateway: gateway[0] ?? null };
}
