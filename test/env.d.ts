/// <reference types="@cloudflare/vitest-plugin/types" />
declare namespace Cloudflare {
  interface Env {
    REPLICA_DB: D1Database;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** Of vitest.config.ts. */
    SECRETS_KEY: string;
  }
}
/** Vite's, for files that tests read as text, and for all modules of a folder. */
interface ImportMeta {
  glob<T>(pattern: string, options: { query?: Record<string, string>; eager: true }): Record<string, T>;
  glob<T>(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Record<string, T>;
}
interface Env {
  /** The second database of test/support/world. */
  REPLICA_DB: D1Database;
}
