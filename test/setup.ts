// Each file begins with an empty registry, whatever files ran in this worker before it.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";
import { beginFile } from "./support/per-file";

/** Our own tables and triggers; what SQLite, D1 and the full-text search keep for themselves is left out. */
const OURS = `SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')
  AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf*' AND name NOT GLOB 'd1_*' AND name NOT GLOB 'skill_search_*'`;

async function emptyDatabase(): Promise<void> {
  const { results } = await env.DB.prepare(OURS).all<{ type: string; name: string; sql: string }>();
  const [tables, triggers] = [
    results.filter(({ type }) => type === "table"),
    results.filter(({ type }) => type !== "table"),
  ];
  // The audit log refuses deletions by triggers, which therefore go and come back.
  await env.DB.batch(
    [
      "PRAGMA defer_foreign_keys = on",
      ...triggers.map(({ name }) => `DROP TRIGGER "${name}"`),
      ...tables.map(({ name }) => `DELETE FROM "${name}"`),
      ...triggers.map(({ sql }) => sql),
    ].map((sql) => env.DB.prepare(sql)),
  );
}

async function emptyBucket(): Promise<void> {
  for (;;) {
    const { objects } = await env.PACKAGES.list();
    if (objects.length === 0) return;
    await env.PACKAGES.delete(objects.map(({ key }) => key));
  }
}

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await emptyDatabase();
await emptyBucket();
await beginFile();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
