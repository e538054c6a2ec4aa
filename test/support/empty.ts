// Empties a database of the pool, or copies another one into it.

/** Selects the gateway's own tables and triggers. Internal tables of SQLite, D1 and full-text search are excluded. */
const OURS = `SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')
  AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf*' AND name NOT GLOB 'd1_*' AND name NOT GLOB 'skill_search_*'`;

interface Schema {
  tables: string[];
  triggers: { name: string; sql: string }[];
}

async function schemaOf(db: D1Database): Promise<Schema> {
  const { results } = await db.prepare(OURS).all<{ type: string; name: string; sql: string }>();
  return {
    tables: results.filter(({ type }) => type === "table").map(({ name }) => name),
    triggers: results.filter(({ type }) => type !== "table"),
  };
}

/** Empties a database and runs these statements. */
async function refill(db: D1Database, { tables, triggers }: Schema, rows: D1PreparedStatement[]): Promise<void> {
  await db.batch([
    db.prepare("PRAGMA defer_foreign_keys = on"),
    // Triggers of the audit log forbid deletions, so they are dropped and created again.
    ...triggers.map(({ name }) => db.prepare(`DROP TRIGGER "${name}"`)),
    ...tables.map((name) => db.prepare(`DELETE FROM "${name}"`)),
    ...rows,
    ...triggers.map(({ sql }) => db.prepare(sql)),
  ]);
}

export async function emptyDatabase(db: D1Database): Promise<void> {
  await refill(db, await schemaOf(db), []);
}

/** Copies the first database into the second. Skills cannot be copied, because SQLite manages the search index. */
export async function copyDatabase(from: D1Database, to: D1Database): Promise<void> {
  const schema = await schemaOf(from);
  const inserts: D1PreparedStatement[] = [];
  for (const table of schema.tables) {
    const { results } = await from.prepare(`SELECT * FROM "${table}"`).all();
    if (table === "skills" && results.length > 0) throw new Error("A database with skills cannot be copied.");
    for (const row of results) {
      const names = Object.keys(row).map((name) => `"${name}"`);
      const values = names.map(() => "?").join(", ");
      const insert = to.prepare(`INSERT INTO "${table}" (${names.join(", ")}) VALUES (${values})`);
      inserts.push(insert.bind(...Object.values(row)));
    }
  }
  await refill(to, schema, inserts);
}
