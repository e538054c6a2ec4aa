// One process at a time builds a part of public/, whichever command started it.

import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { root } from "../kit/files.mjs";
import { claim } from "../local/lock.mjs";
import { processOf } from "../local/processes.mjs";

const WAIT_MS = 50;

/**
 * Calls `build` while no other process builds the part of that name. A lock that a killed process left behind is replaced.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} build
 * @returns {Promise<T>}
 */
export async function exclusively(name, build) {
  const file = path.join(root, "dist", "locks", `${name.replaceAll("/", "-")}.lock`);
  mkdirSync(path.dirname(file), { recursive: true });
  const own = { id: randomUUID(), launcher: processOf(process.pid) };
  while (!isClaimed(file, own)) await delay(WAIT_MS);
  try {
    return await build();
  } finally {
    rmSync(file, { force: true });
  }
}

function isClaimed(file, own) {
  const held = new Error("held");
  try {
    claim(file, own, () => {
      throw held;
    });
    return true;
  } catch (error) {
    if (error !== held) throw error;
    return false;
  }
}
