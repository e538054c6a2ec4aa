// Reads the MCP servers that the gateway's registry lists.

import { sql } from "drizzle-orm";
import type { Database } from "../database";
import { mcpServers, ownServers } from "../schema/access";

/** Returns the gateway's servers that are open to callers without a key. */
export function openServers(db: Database) {
  return db.select().from(mcpServers).where(sql`json_extract(${mcpServers.entry}, '$.public') = 1`);
}

/** Returns all servers of these scopes and of the gateway, with their dates, in one round trip. */
export async function datedServers(db: Database, scopes: readonly string[]) {
  const [own, gateway] = await db.batch([
    db
      .select()
      .from(ownServers)
      .where(sql`${ownServers.scope} IN (SELECT value FROM json_each(${JSON.stringify(scopes)}))`),
    db.select().from(mcpServers),
  ]);
  return { own, gateway };
}
