// The state of a gateway on this machine as the source of a backup. Reads its SQLite files, also while the gateway serves: SQLite shows
// each reader one state of a file, and the gateway continues to write meanwhile.

import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "../kit/refusal.mjs";
import { DatabaseSync } from "../kit/sqlite.mjs";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";

/** The number of times a file is read if the gateway replaces it meanwhile. */
const ROUNDS = 5;
/** Milliseconds for which a reader waits for a lock. */
const PATIENCE = 10_000;

/** Returns the folders and files of a state. `null` if it has no data. */
export async function filesOf(state) {
  const config = await readWranglerConfig();
  const place = path.join(state, "v3");
  const [d1, r2] = await Promise.all([
    databaseIn(path.join(place, "d1", "miniflare-D1DatabaseObject")),
    databaseIn(path.join(place, "r2", "miniflare-R2BucketObject")),
  ]);
  if (d1 === null) return null;
  const blobs = path.join(place, "r2", config.r2_buckets[0].bucket_name, "blobs");
  const objects = config.durable_objects.bindings.map(({ class_name }) => `${config.name}-${class_name}`);
  return { d1, r2, blobs, objects: path.join(place, "do"), namespaces: objects };
}

/** Returns the only database of a simulator: beside it is one with the simulator's alarms. */
async function databaseIn(folder) {
  const names = await namesIn(folder);
  const found = names.filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (found.length > 1) throw new Refusal(`${folder} has ${found.length} databases (expected 1). Remove the others.`);
  return found.length === 0 ? null : path.join(folder, found[0]);
}

async function namesIn(folder) {
  return readdir(folder).catch((error) => {
    if (error.code === "ENOENT") return [];
    if (error.code === "EACCES")
      throw new Refusal(`${folder} is not readable by this user. Run this command as the user of the gateway.`);
    throw error;
  });
}

/**
 * Opens the state for reading, as of this moment.
 * @param {string} state
 * @returns {Promise<(import("./archive.mjs").Store & import("./archive.mjs").Whole) | null>} `null` if it has no data
 */
export async function openFiles(state) {
  const files = await filesOf(state);
  if (files === null) return null;
  const d1 = openSnapshot(files.d1);
  // Opened second: a row is written after its object, so this index has the objects of all rows, except those deleted in between.
  const r2 = files.r2 === null ? null : openSnapshot(files.r2);
  const objectOf = (key) => r2?.prepare("SELECT blob_id, http_metadata FROM _mf_objects WHERE key = ?").get(key);
  const read = async ({ blob_id }) => {
    // Written in several parts, which this gateway never does.
    if (blob_id === null) throw new Refusal("An object in R2 consists of several parts, which backups do not support.");
    return readFile(path.join(files.blobs, blob_id)).catch((error) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
  };
  return {
    async stop() {
      d1.close();
      r2?.close();
    },
    query: async (sql) => exactRows(d1, sql),
    async readPackage(key) {
      const found = objectOf(key);
      return found === undefined ? null : read(found);
    },
    /** The objects that are neither packages nor derived from them, such as files of scripts. */
    async *otherObjects() {
      const rows = r2?.prepare(
        "SELECT key, blob_id, http_metadata FROM _mf_objects WHERE key NOT LIKE 'packages/%' ORDER BY key",
      );
      for (const { key, blob_id, http_metadata } of rows?.iterate() ?? []) {
        const bytes = await read({ blob_id });
        // Deleted meanwhile.
        if (bytes !== null) yield { key, bytes, contentType: JSON.parse(http_metadata).contentType ?? null };
      }
    },
    /** Copies the objects of conversations, imports and metrics. Resolves with their paths below the folder. */
    async copyObjects(folder) {
      const copied = [];
      for (const namespace of files.namespaces) {
        const names = await namesIn(path.join(files.objects, namespace));
        for (const name of names.filter((each) => each.endsWith(".sqlite")).sort()) {
          await mkdir(path.join(folder, namespace), { recursive: true, mode: 0o700 });
          const file = path.join(namespace, name);
          if (await copyDatabase(path.join(files.objects, file), path.join(folder, file))) copied.push(file);
        }
      }
      return copied;
    },
  };
}

function openSnapshot(file) {
  const db = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE });
  // The snapshot begins with the first read.
  db.exec("BEGIN");
  db.prepare("SELECT count(*) FROM sqlite_schema").get();
  return db;
}

/** Reads texts as bytes, because Node ends a text at its first NUL. No table of D1 has bytes. */
function exactRows(db, sql) {
  if (!sql.startsWith("SELECT ")) return db.prepare(sql).all();
  const names = db
    .prepare(sql)
    .columns()
    .map(({ name }) => `"${name.replaceAll('"', '""')}"`);
  const exact = names.map((name) => `iif(typeof(${name}) = 'text', CAST(${name} AS BLOB), ${name}) AS ${name}`);
  const rows = db.prepare(`SELECT ${exact.join(", ")} FROM (${sql})`).all();
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value,
      ]),
    ),
  );
}

/** Copies a database without its deleted content. Returns whether it exists. An object that is deleted meanwhile has no file. */
async function copyDatabase(from, to) {
  for (let round = 1; ; round++) {
    await rm(to, { force: true });
    try {
      const db = new DatabaseSync(from, { readOnly: true, timeout: PATIENCE });
      try {
        db.prepare("VACUUM INTO ?").run(to);
      } finally {
        db.close();
      }
      return true;
    } catch (error) {
      if ((await stat(from).catch(() => null)) === null) return false;
      if (round === ROUNDS) throw new Error(`${from} cannot be copied: ${error.message}`, { cause: error });
    }
  }
}
