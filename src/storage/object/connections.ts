// What a conversation remembers of remote MCP servers, in its SQLite. Keys are digests: nothing of a URL or a header is kept.

import * as z from "zod";
import { upstreamMemorySchema } from "../../domain/servers/memory";

/** Since schema version 3. */
export const CONNECTION_TABLES = `
  CREATE TABLE upstreams (key TEXT PRIMARY KEY, used INTEGER NOT NULL, state TEXT NOT NULL) WITHOUT ROWID;`;

const connectionStateSchema = z.object({
  memory: upstreamMemorySchema,
  /** Why the last attempt failed; `null` when it did not. */
  error: z.string().nullable(),
  /** How long the last connecting, listing or call took, in milliseconds. */
  latency: z.number().nullable(),
});
export type ConnectionState = z.infer<typeof connectionStateSchema>;

export class ConnectionStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
  }

  get(key: string): ConnectionState | null {
    const row = this.#sql.exec<{ state: string }>("SELECT state FROM upstreams WHERE key = ?", key).toArray()[0];
    return row === undefined ? null : connectionStateSchema.parse(JSON.parse(row.state));
  }

  keep(key: string, used: number, state: ConnectionState): void {
    this.#sql.exec("INSERT OR REPLACE INTO upstreams VALUES (?, ?, ?)", key, used, JSON.stringify(state));
  }

  any(): boolean {
    return this.#sql.exec("SELECT 1 FROM upstreams LIMIT 1").toArray().length > 0;
  }

  dropUnusedSince(used: number): void {
    this.#sql.exec("DELETE FROM upstreams WHERE used < ?", used);
  }
}
