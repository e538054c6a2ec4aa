// Empties a database of the pool.

/** Our own tables and triggers; what SQLite, D1 and the full-text search keep for themselves is left out. */
const OURS = `SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')
  AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf*' AND name NOT GLOB 'd1_*' AND name NOT GLOB 'skill_search_*'`;

export async function emptyDatabase(db: D1Database): Promise<void> {
  const { results } = await db.prepare(OURS).all<{ type: string; name: string; sql: string }>();
  const [tables, triggers] = [
    results.filter(({ type }) => type === "table"),
    results.filter(({ type }) => type !== "table"),
  ];
  // The audit log refuses deletions by triggers, which therefore go and come back.
  await db.batch(
    [
      "PRAGMA defer_foreign_keys = on",
      ...triggers.map(({ name }) => `DROP TRIGGER "${name}"`),
      ...tables.map(({ name }) => `DELETE FROM "${name}"`),
      ...triggers.map(({ sql }) => sql),
    ].map((sql) => db.prepare(sql)),
  );
}
