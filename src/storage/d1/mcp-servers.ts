// Stores the gateway's MCP servers in D1. Every conversation can use them, so a change raises the public counter.

import { asc, eq, gt, sql } from "drizzle-orm";
import { PUBLIC_SCOPE } from "../../domain/access/access";
import type { JsonObject } from "../../domain/json";
import type { Database } from "./database";
import { raiseCounters } from "./keys";
import { type ServerSkillRow, skillsOfServer } from "./registry/server-skills";
import { mcpServers } from "./schema/access";
import { now } from "./schema/registry";

export type ServerRow = typeof mcpServers.$inferSelect;

/** Stores an entry under its name. Returns `null` if there are too many others. */
export async function putServer(
  db: Database,
  server: { name: string; entry: JsonObject; createdBy: string },
  most: number,
): Promise<{ row: ServerRow; created: boolean } | null> {
  const { name, entry, createdBy } = server;
  const same = eq(mcpServers.name, name);
  const [before, , , after] = await db.batch([
    db.select({ name: mcpServers.name }).from(mcpServers).where(same),
    db
      .insert(mcpServers)
      .select(
        sql`SELECT ${name}, ${JSON.stringify(entry)}, ${createdBy}, ${now}, ${now}, NULL, NULL
          WHERE (SELECT count(*) FROM ${mcpServers} WHERE ${mcpServers.name} <> ${name}) < ${most}`,
      )
      .onConflictDoUpdate({ target: mcpServers.name, set: { entry, updatedAt: now, downSince: null } }),
    raiseCounters(db, [PUBLIC_SCOPE]),
    db.select().from(mcpServers).where(same),
  ]);
  const [row] = after;
  return row === undefined ? null : { row, created: before.length === 0 };
}

export async function readServer(db: Database, name: string): Promise<ServerRow | null> {
  const [found] = await db.select().from(mcpServers).where(eq(mcpServers.name, name));
  return found ?? null;
}

/** Statement that reads all entries by name. */
export function gatewayServers(db: Database) {
  const { name, entry, approved } = mcpServers;
  return db.select({ name, entry, approved }).from(mcpServers).orderBy(asc(name));
}

/** Stores the digests of the approved tools of a server. Returns `false` if the server does not exist. */
export async function approveTools(db: Database, name: string, approved: Record<string, string>): Promise<boolean> {
  const [changed] = await db.batch([
    db.update(mcpServers).set({ approved }).where(eq(mcpServers.name, name)).returning({ name: mcpServers.name }),
    raiseCounters(db, [PUBLIC_SCOPE]),
  ]);
  return changed.length > 0;
}

/** Returns servers by name, after the cursor. */
export function listServers(db: Database, limit: number, after: string | null): Promise<ServerRow[]> {
  return db
    .select()
    .from(mcpServers)
    .where(after === null ? undefined : gt(mcpServers.name, after))
    .orderBy(asc(mcpServers.name))
    .limit(limit);
}

/** Returns the skills that were approved from the server, or `null` if the server does not exist. */
export async function deleteServer(db: Database, name: string): Promise<ServerSkillRow[] | null> {
  const [gone, , skills] = await db.batch([
    db.delete(mcpServers).where(eq(mcpServers.name, name)).returning({ name: mcpServers.name }),
    raiseCounters(db, [PUBLIC_SCOPE]),
    skillsOfServer(db, name),
  ]);
  return gone.length > 0 ? skills : null;
}
