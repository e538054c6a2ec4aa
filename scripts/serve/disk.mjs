// Checks that the state can be written, and rejects changes before its disk is full: SQLite needs room for reads and deletions, too.

import { access, constants, statfs } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "../kit/refusal.mjs";

const MiB = 1024 * 1024;
/** Free space below which changes are rejected: more than the largest body and the write-ahead logs that grow meanwhile. */
export const RESERVE = 64 * MiB;
/** Milliseconds between looks. */
const INTERVAL = 1_000;

/** @typedef {{ status: number, code: string, detail: string }} Problem */

/** Throws an error that the operator can fix, if this process cannot write the state. */
export async function checkWritable(state) {
  for (const folder of [state, path.join(state, "v3")]) {
    await access(folder, constants.W_OK).catch((error) => {
      if (error.code === "EROFS") throw new Refusal(`${folder} is on a read-only file system. Mount it for writing.`);
      if (error.code === "EACCES")
        throw new Refusal(`${folder} cannot be written by this user. Start the gateway as its owner.`);
      if (error.code !== "ENOENT") throw error;
    });
  }
}

/**
 * Returns what prevents changes, or `null`.
 * @param {string} state
 * @returns {Promise<Problem | null>}
 */
export async function storageProblem(state, { free = freeBytes, check = checkWritable } = {}) {
  try {
    await check(state);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      status: 503,
      code: "STATE_READ_ONLY",
      detail: "The storage of the gateway is read-only. Its operator must mount it for writing.",
    };
  }
  const bytes = await free(state);
  if (bytes >= RESERVE) return null;
  return {
    status: 507,
    code: "DISK_FULL",
    detail: `The disk of the gateway is full (${Math.floor(bytes / MiB)} MiB free, ${RESERVE / MiB} MiB needed for changes). Reading and deleting still work. Its operator must free space.`,
  };
}

async function freeBytes(folder) {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Looks at the disk again and again, and logs each change.
 * @param {string} state
 * @param {(text: string) => void} say
 * @returns {Promise<() => Problem | null>} the problem that was found last
 */
export async function watchDisk(state, say) {
  let problem = null;
  const look = async () => {
    const found = await storageProblem(state);
    if (found?.code !== problem?.code)
      say(JSON.stringify(found === null ? { event: "storage_writable" } : { event: "storage_problem", ...found }));
    problem = found;
  };
  await look();
  setInterval(() => look().catch((error) => say(error.stack)), INTERVAL).unref();
  return () => problem;
}
