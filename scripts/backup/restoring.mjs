// Restores a backup into a store that has its tables. The SQL empties the tables and writes the rows in one run of the store.

import { rowsOf } from "./archive.mjs";
import { clearing, finishing, inserting, readTables, readTriggers } from "./rows.mjs";

/**
 * @param {import("./archive.mjs").Store} store
 * @param {string} folder
 * @param {import("./archive.mjs").Manifest} manifest
 */
export async function restoreRows(store, folder, manifest) {
  const present = await readTables(store.query);
  const triggers = await readTriggers(store.query);
  await store.run(statements(folder, manifest, present, triggers));
}

async function* statements(folder, manifest, present, triggers) {
  yield* clearing(present, triggers);
  for (const table of manifest.tables) {
    for await (const row of rowsOf(folder, table.name)) yield* inserting(table, row);
  }
  yield* finishing(triggers);
}
