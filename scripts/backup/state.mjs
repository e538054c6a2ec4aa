// Backs up the state of a gateway on this machine.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { countOf, say } from "../kit/refusal.mjs";
import { migrationFiles } from "../local/migrate.mjs";
import { PackageMissing, writeBackup } from "./archive.mjs";
import { openFiles } from "./files.mjs";
import { readMigrations } from "./rows.mjs";

/** The number of times the data is read if skills are deleted meanwhile. */
const ROUNDS = 3;

/** Returns the version of the gateway in this checkout. */
export async function gatewayVersion() {
  return JSON.parse(await readFile(path.join(root, "package.json"), "utf8")).version;
}

/**
 * Writes a backup of a state, also while the gateway serves.
 * @param {string} state
 * @param {string} folder must not exist
 * @returns {Promise<import("./archive.mjs").Manifest | null>} `null` if the state has no data
 */
export async function backUpState(state, folder) {
  const version = await gatewayVersion();
  for (let round = 1; ; round++) {
    const store = await openFiles(state);
    if (store === null) return null;
    try {
      return await writeBackup(store, folder, version);
    } catch (error) {
      if (!(error instanceof PackageMissing) || round === ROUNDS) throw error;
    } finally {
      await store.stop();
    }
  }
}

/**
 * Writes a backup into `<state>/backups` if this version has migrations that the data does not have.
 * @returns {Promise<string | null>} the folder
 */
export async function backUpBeforeMigrating(state, files = undefined) {
  const store = await openFiles(state);
  if (store === null) return null;
  const done = await readMigrations(store.query)
    // A first start that was interrupted before it made the table.
    .catch(() => [])
    .finally(store.stop);
  const pending = (files ?? (await migrationFiles())).filter((file) => !done.includes(file));
  if (done.length === 0 || pending.length === 0) return null;
  const folder = path.join(state, "backups", `before-${pending.at(-1)?.replace(/\.sql$/, "")}-${Date.now()}`);
  const manifest = await backUpState(state, folder);
  say(JSON.stringify({ event: "backup", folder, content: manifest === null ? "" : describeBackup(manifest) }));
  return folder;
}

/** Describes what a backup contains. */
export function describeBackup({ tables, packages, lists = [] }) {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const objects = lists.map(({ name, rows: number }) => `${number} ${name.replace("-", " ")}`);
  return [`${rows} rows of ${countOf(tables.length, "table")}`, countOf(packages, "package"), ...objects].join(", ");
}
