// Removes deleted content from the SQLite files of a state. SQLite leaves it in free space of the file and in the write-ahead log until it
// is overwritten. Nothing can have the state open meanwhile.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "../kit/sqlite.mjs";

/** The full-text index of D1, which marks deleted words and removes them with the next merge. */
const SEARCH = "skill_search";
/** The folder of conversations, imports and metrics: an object that is deleted empties its file, so only its log has old content. */
const OBJECTS = "do";
/** The file in which workerd stores names and alarms of the objects of one class. */
const METADATA = "metadata.sqlite";

/**
 * @param {string} state
 * @returns {Promise<number>} the number of files
 */
export async function compact(state) {
  const place = path.join(state, "v3");
  const names = await readdir(place, { recursive: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const existing = new Set(names);
  const files = names.filter((name) => name.endsWith(".sqlite"));
  for (const name of files) {
    const isObject = name.startsWith(`${OBJECTS}${path.sep}`) && path.basename(name) !== METADATA;
    if (isObject && !existing.has(`${name}-wal`)) continue;
    compactFile(path.join(place, name), isObject);
  }
  return files.length;
}

function compactFile(file, isObject) {
  const db = new DatabaseSync(file);
  try {
    if (!isObject) {
      if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(SEARCH) !== undefined)
        db.exec(`INSERT INTO ${SEARCH}(${SEARCH}) VALUES ('optimize')`);
      db.exec("VACUUM");
    }
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}
