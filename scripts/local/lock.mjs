// One gateway per state: two gateways would both act as the only owner of every conversation. `<state>/gateway.lock` names the launcher,
// the runtime it started (workerd, or wrangler's process group) and the port.

import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Refusal, say } from "../kit/refusal.mjs";
import { end, isRunning, markedProcesses, processOf } from "./processes.mjs";

/**
 * @typedef {{
 *   id: string, port: number, launcher: import("./processes.mjs").Process,
 *   runtime: import("./processes.mjs").Process | null, runner: import("./processes.mjs").Process | null, group: boolean,
 * }} Holder
 */

/**
 * Takes the lock of a state. Ends the processes that a killed launcher left running there.
 * @param {string} state
 * @param {{ port: number, group?: boolean }} options `group`: the runtime leads a process group that ends with it
 */
export async function acquireLock(state, { port, group = false }) {
  mkdirSync(state, { recursive: true });
  const file = path.join(state, "gateway.lock");
  /** @type {Holder} */
  const own = { id: randomUUID(), port, launcher: processOf(process.pid), runtime: null, runner: null, group };
  const previous = claim(file, own, (holder) => refuse(file, holder));
  const left = [previous?.runtime, previous?.runner].filter((known) => known != null);
  const marked = markedProcesses(state).filter(({ launcher }) => !isRunning(launcher));
  const orphans = [...left, ...marked].filter(isRunning);
  if (orphans.length > 0) say("stopping processes of a killed gateway");
  await end(left, previous?.group);
  await end(orphans);

  const record = (name, pid) => {
    if (read(file)?.id !== own.id) throw new Refusal(`${file} was removed, so another gateway may use this state now.`);
    own[name] = processOf(pid);
    const draft = `${file}.${own.id}`;
    writeFileSync(draft, JSON.stringify(own));
    renameSync(draft, file);
  };

  return {
    /** Records the runtime; must be called immediately after it is started. */
    setRuntime: (pid) => record("runtime", pid),
    /** Records the process for skill code. */
    setRunner: (pid) => record("runner", pid),
    release() {
      if (read(file)?.id === own.id) rmSync(file, { force: true });
    },
  };
}

/**
 * Puts a lock in place, whole from its first moment, and returns the stale one that it replaces.
 * @param {string} file
 * @param {{ id: string, launcher: import("./processes.mjs").Process }} own
 * @param {(holder: Holder) => never} refuse called where a running process has the lock; throws
 */
export function claim(file, own, refuse) {
  const draft = `${file}.${own.id}`;
  const stale = `${draft}.stale`;
  let previous = null;
  writeFileSync(draft, JSON.stringify(own));
  try {
    for (;;) {
      try {
        linkSync(draft, file);
        return previous;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const held = read(file);
      if (isRunning(held?.launcher)) refuse(held);
      // The lock is stale or half-written. Another start can be replacing it at this moment, so only a successful move counts.
      try {
        renameSync(file, stale);
      } catch (error) {
        if (error.code === "ENOENT") continue;
        throw error;
      }
      const moved = read(stale);
      if (isRunning(moved?.launcher)) {
        renameSync(stale, file);
        refuse(moved);
      }
      previous = moved;
    }
  } finally {
    rmSync(draft, { force: true });
    rmSync(stale, { force: true });
  }
}

function refuse(file, holder) {
  throw new Refusal(
    `A gateway is already running on ${path.dirname(file)}: http://127.0.0.1:${holder.port} (process ${holder.launcher.pid}). ` +
      "Stop it first, or choose another folder with --state.",
  );
}

/** @returns {Holder | null} also `null` if the lock file is incomplete */
function read(file) {
  try {
    const holder = JSON.parse(readFileSync(file, "utf8"));
    return typeof holder?.launcher?.pid === "number" ? holder : null;
  } catch {
    return null;
  }
}
