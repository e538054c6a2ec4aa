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

/** D1 accepts statements up to 100 KB. The gateway's migrations have 47 KB in total. */
const LONGEST = 90_000;

/**
 * A migration and its entry in the table are in one transaction: a crash leaves it either done or not begun. If one fails, those before it
 * stay done.
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
  const texts = await Promise.all(pending.map((file) => statementsOf(folder, file)));
  for (const group of groupsOf(texts)) {
    // One request for the whole group. A request for each of the 44 migrations took a third of a second of a first start.
    const isDone = await run(db, group.join("\n;")).then(
      () => true,
      () => false,
    );
    if (!isDone) for (const text of group) await run(db, text);
  }
  if (pending.length > 0)
    say(`✔ database ${done.size === 0 ? "created" : "updated"} (${countOf(pending.length, "migration")})`);
}

/** Returns the statements of a migration and the one that records it. */
async function statementsOf(folder, file) {
  const text = await readFile(path.join(folder, file), "utf8");
  return `${text}\n;INSERT INTO d1_migrations (name) VALUES ('${file.replaceAll("'", "''")}')`;
}

/** Divides texts into groups that D1 accepts as one text. A text that is too long is a group of its own. */
function groupsOf(texts) {
  const groups = [];
  let bytes = 0;
  for (const text of texts) {
    bytes += Buffer.byteLength(text) + 2;
    if (groups.length === 0 || bytes > LONGEST) {
      groups.push([]);
      bytes = Buffer.byteLength(text);
    }
    groups.at(-1).push(text);
  }
  return groups;
}

/** Runs a text of statements as one transaction. */
function run(db, text) {
  return db.batch([db.prepare(text)]);
}
