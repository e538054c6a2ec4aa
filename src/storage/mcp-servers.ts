// The MCP servers of the gateway in D1.

import type { JsonObject } from "../domain/skill";
import type { Database } from "./database";
import { mcpServers } from "./schema-access";

/** All entries, by name. */
export async function readGatewayServers(db: Database): Promise<Record<string, JsonObject>> {
  const rows = await db.select({ name: mcpServers.name, entry: mcpServers.entry }).from(mcpServers);
  return Object.fromEntries(rows.map(({ name, entry }) => [name, entry]));
}
