// Applies migrations to D1. It uses the same table as `wrangler d1 migrations apply`, so the two can run in any order.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { countOf, Refusal, say } from "../kit/refusal.mjs";

const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const FOLDER = path.join(root, "migrations");

/** Returns the names of all migrations, in order. */
export async function migrationFiles(folder = FOLDER) {
  return (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
}

/**
 * Each migration is one transaction together with its entry in the table: a crash leaves it either done or not begun.
 * @param {import("@cloudflare/workers-types").D1Database} db
 * @param {{ folder?: string, upTo?: readonly string[] }} [options] `upTo`: only these, for data that is older than the rest
 */
export async function applyMigrations(db, { folder = FOLDER, upTo } = {}) {
  const files = await migrationFiles(folder);
  await db.prepare(TABLE).run();
  const { results } = await db.prepare("SELECT name FROM d1_migrations").all();
  const done = new Set(results.map((row) => row.name));
  const strange = [...done].filter((name) => !files.includes(name));
  if (strange.length > 0) {
    throw new Refusal(
      `The state is newer than this version (unknown migrations: ${strange.join(", ")}). Update the gateway.`,
    );
  }
  const pending = files.filter((file) => !done.has(file) && (upTo?.includes(file) ?? true));
  for (const file of pending) {
    const text = await readFile(path.join(folder, file), "utf8");
    // One text for all statements. Each prepared statement is a request to workerd, and single requests took a third of a start.
    const noted = `INSERT INTO d1_migrations (name) VALUES ('${file.replaceAll("'", "''")}')`;
    await db.batch([db.prepare(`${text}\n;${noted}`)]);
  }
  if (pending.length > 0)
    say(`✔ database ${done.size === 0 ? "created" : "updated"} (${countOf(pending.length, "migration")})`);
}
