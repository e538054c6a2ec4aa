// Syncs objects of R2 to the disk before the Worker acknowledges them.

import { open, readdir } from "node:fs/promises";
import path from "node:path";
import { Response } from "../kit/miniflare.mjs";
import { say } from "../kit/refusal.mjs";
import { DatabaseSync } from "../kit/sqlite.mjs";

const INDEX = path.join("r2", "miniflare-R2BucketObject");

/**
 * Returns the handler of the binding `SYNC`: a request has the key of an object that was put.
 * @param {string} place the folder `v3` of a state
 * @param {string} bucket
 */
export function syncHandler(place, bucket) {
  const blobs = path.join(place, "r2", bucket, "blobs");
  let find = null;
  return async (request) => {
    try {
      find ??= await openIndex(path.join(place, INDEX));
      const row = find.get(await request.text());
      // Without a row, the object was deleted or replaced meanwhile.
      if (row !== undefined) await syncFile(path.join(blobs, row.blob_id));
      await syncFile(blobs);
      return new Response(null, { status: 204 });
    } catch (error) {
      say(`An object was not synced: ${error.stack}`);
      return new Response(error.message, { status: 500 });
    }
  };
}

async function openIndex(folder) {
  const name = (await readdir(folder)).find((each) => each.endsWith(".sqlite") && each !== "metadata.sqlite");
  const db = new DatabaseSync(path.join(folder, name ?? ""), { readOnly: true, timeout: 1_000 });
  return db.prepare("SELECT blob_id FROM _mf_objects WHERE key = ?");
}

/** Syncs a file or a folder. A file that was deleted meanwhile needs nothing. */
async function syncFile(file) {
  const handle = await open(file, "r").catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
