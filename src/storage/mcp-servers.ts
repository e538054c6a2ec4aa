// PLACEHOLDER until m-config is merged.
import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "./database";
import { mcpServers } from "./schema-access";

const schema = z.looseObject({
  url: z.string(),
  type: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  timeout: z.number().optional(),
  connect_timeout: z.number().optional(),
});

export async function readMcpServer(db: Database, name: string) {
  const rows = await db.select().from(mcpServers).where(eq(mcpServers.name, name));
  return rows[0] === undefined ? null : schema.parse(rows[0].entry);
}
