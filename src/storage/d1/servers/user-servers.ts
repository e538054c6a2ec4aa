// The MCP servers of groups and users in D1. A change raises the counter of their scope, so that what was seen of it is read again.

import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { JsonObject } from "../../../domain/json";
import type { Database } from "../database";
import { raiseCounters } from "../keys";
import { gatewayServers } from "../mcp-servers";
import { mcpServers, ownServers } from "../schema/access";
import { now } from "../schema/registry";

export type UserServerRow = typeof ownServers.$inferSelect;

/** Stores an entry under its scope and name, whole. `null` when the scope is full. */
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

/** Servers of a scope by name, after the cursor's. */
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

/** `false` when there was none. */
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

/** A statement that reads all entries of these scopes, by name. */
export function serversOfScopes(db: Database, scopes: readonly string[]) {
  return db
    .select({ scope: ownServers.scope, name: ownServers.name, entry: ownServers.entry })
    .from(ownServers)
    .where(sql`${ownServers.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`)
    .orderBy(asc(ownServers.name));
}

/** Servers with what a conversation needs of them. */
export type EveryServer = Awaited<ReturnType<typeof everyServer>>;

/** Every server of these scopes and of the gateway, in one trip. */
export async function everyServer(db: Database, scopes: readonly string[]) {
  const [own, gateway] = await db.batch([serversOfScopes(db, scopes), gatewayServers(db)]);
  return { own, gateway };
}

/** Every server of this name: those of these scopes, and the gateway's, whose scope is `null`; in one trip. */
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
