// Ends a local runtime that is stuck: nothing limits the CPU time of a Worker there, and an endless loop blocks every request.

import { readFile } from "node:fs/promises";
import { setImmediate, setTimeout } from "node:timers/promises";

/** Milliseconds between probes, and between looks at one that is not answered yet. */
const INTERVAL = 250;
/** A path that needs no storage, so only a runtime that is blocked delays its response. */
const PROBE = "/watchdog";
/** CPU time in milliseconds after which an unanswered probe means an endless loop. The first Python run compiles for 2 s. */
const LOOP_CPU = 4_000;
/** A runtime that neither runs nor waits for a core for this number of milliseconds is stopped or deadlocked. */
const SILENCE = 15_000;
/** The share of `SILENCE` that housekeeping threads can use. */
const HOUSEKEEPING = 0.05;

/** @typedef {{ ran: number, waited: number }} Usage milliseconds on a core, and ready to run without one */

/**
 * Probes the runtime again and again. Every response counts as life, and so does a refused connection, which means a restart.
 * @param {string} url of the gateway
 * @param {{ isStarting(): boolean, runtime(): number }} gateway `runtime`: the process that is watched; `isStarting`: it is being
 *   restarted, and ending it would prevent that
 * @param {() => void} onStuck called when the runtime is blocked
 */
export async function watch(url, gateway, onStuck) {
  for (;;) {
    await setTimeout(INTERVAL, undefined, { ref: false });
    if (!gateway.isStarting() && (await isBlocked(url, gateway))) onStuck();
  }
}

/** Sends one probe and waits until it has an answer or the runtime counts as blocked. */
async function isBlocked(url, { isStarting, runtime }) {
  const pid = runtime();
  const before = await usageOf(pid);
  const end = new AbortController();
  let isAnswered = false;
  const answer = fetch(new URL(PROBE, url), { signal: end.signal })
    .then((response) => response.arrayBuffer())
    .catch(() => {})
    .finally(() => {
      isAnswered = true;
    });
  // Counted in looks rather than read from a clock: a launcher that did not run either cannot blame the runtime.
  for (let looks = 1; ; looks++) {
    await Promise.race([answer, setTimeout(INTERVAL, undefined, { ref: false })]);
    const after = await usageOf(pid);
    // A response may have arrived while this process did not run.
    await setImmediate();
    if (isAnswered) return false;
    const isReplaced = runtime() !== pid || isStarting();
    const isLate = isStuck(before, after, looks * INTERVAL);
    if (!isReplaced && !isLate) continue;
    end.abort();
    return !isReplaced;
  }
}

/**
 * Whether a runtime that has not responded for `ms` milliseconds is blocked. On a busy machine a runtime can only be waiting for a core. If
 * the system does not report the CPU usage of a process, only the time decides.
 * @param {Usage | null} before
 * @param {Usage | null} after
 * @param {number} ms
 */
export function isStuck(before, after, ms) {
  if (before === null || after === null) return ms >= SILENCE;
  const ran = after.ran - before.ran;
  if (ran >= LOOP_CPU) return true;
  return ms >= SILENCE && ran + after.waited - before.waited < HOUSEKEEPING * SILENCE;
}

/** The usage of a process's main thread, which runs all JavaScript; `null` where the system does not report it. */
async function usageOf(pid) {
  const text = await readFile(`/proc/${pid}/schedstat`, "utf8").catch(() => null);
  if (text === null) return null;
  const [ran, waited] = text.split(" ").map((nanoseconds) => Number(nanoseconds) / 1e6);
  return { ran, waited };
}
