// Stores what a conversation remembers of remote MCP servers, in its SQLite. Keys are digests, so no URL and no header is stored.

import * as z from "zod";
import { upstreamMemorySchema } from "../../domain/servers/memory";
import type { Tables } from "./tables";

const connectionStateSchema = z.lazy(() =>
  z.object({
    memory: upstreamMemorySchema,
    /** Error of the last attempt; `null` if it succeeded. */
    error: z.string().nullable(),
    /** Duration of the last connect, list or call, in milliseconds. */
    latency: z.number().nullable(),
  }),
);
export type ConnectionState = z.infer<typeof connectionStateSchema>;

export class ConnectionStore {
  readonly #sql: SqlStorage;
  readonly #tables: Tables;

  constructor(sql: SqlStorage, tables: Tables) {
    this.#sql = sql;
    this.#tables = tables;
  }

  get(key: string): ConnectionState | null {
    if (!this.#tables.has("upstreams")) return null;
    const row = this.#sql.exec<{ state: string }>("SELECT state FROM upstreams WHERE key = ?", key).toArray()[0];
    return row === undefined ? null : connectionStateSchema.parse(JSON.parse(row.state));
  }

  keep(key: string, used: number, state: ConnectionState): void {
    this.#tables.make("upstreams");
    this.#sql.exec("INSERT OR REPLACE INTO upstreams VALUES (?, ?, ?)", key, used, JSON.stringify(state));
  }

  drop(key: string): void {
    if (this.#tables.has("upstreams")) this.#sql.exec("DELETE FROM upstreams WHERE key = ?", key);
  }

  any(): boolean {
    return this.#tables.has("upstreams") && this.#sql.exec("SELECT 1 FROM upstreams LIMIT 1").toArray().length > 0;
  }

  dropUnusedSince(used: number): void {
    if (this.#tables.has("upstreams")) this.#sql.exec("DELETE FROM upstreams WHERE used < ?", used);
  }
}
