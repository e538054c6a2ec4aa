// Ends a runtime that is stuck. Locally nothing bounds the CPU of a Worker, and one endless loop stops everything in the process.

import { readFile } from "node:fs/promises";

const INTERVAL = 250;
/** A path that needs no storage: nothing but a runtime that does not run keeps it waiting for so long. */
const PROBE = "/watchdog";
const PATIENCE = 2_000;
/** So many answers in a row are late: one may be the machine's fault, which runs something else. */
const LATE = 2;
/**
 * A knot takes all the CPU that it gets. On a machine that has much else to do, what is merely slow (the first Python, which is
 * compiled before it runs) is late as well, but has not had so many milliseconds.
 */
const STUCK_CPU = 2_000;
/** Who has had none of it and has not answered so often is stopped, or waits for itself. */
const SILENT = 5;
/** Milliseconds in a tick of /proc. */
const TICK = 10;

/**
 * Asks again and again. Any answer will do, and so will a refused connection: that is a restart, not a knot.
 * @param {string} url of the gateway
 * @param {() => boolean} isStarting whether the runtime is on its way back: to end it then would keep it from coming
 * @param {() => number} runtime the process that is watched
 * @param {() => void} onStuck called when answers took too long
 */
export function watch(url, isStarting, runtime, onStuck) {
  let late = 0;
  let before = null;
  const ask = async () => {
    const began = performance.now();
    if (late === 0) before = await cpuOf(runtime());
    try {
      const answer = await fetch(new URL(PROBE, url), { signal: AbortSignal.timeout(PATIENCE) });
      await answer.arrayBuffer();
      late = 0;
    } catch (error) {
      // Much later than the timeout: this process did not run either, so the machine slept or is overloaded.
      const wasAsleep = performance.now() - began > PATIENCE + 1_000;
      const isLate = error.name === "TimeoutError" && !wasAsleep && !isStarting();
      late = isLate ? late + 1 : 0;
      const now = late >= LATE ? await cpuOf(runtime()) : null;
      const isBusy = now === null || before === null || now - before >= STUCK_CPU;
      if (late >= SILENT || (late >= LATE && isBusy)) {
        late = 0;
        onStuck();
      }
    }
    setTimeout(ask, INTERVAL).unref();
  };
  setTimeout(ask, INTERVAL).unref();
}

/** Milliseconds of CPU that a process has had; `null` where nobody tells. */
async function cpuOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // Its name, in brackets, may have blanks.
  const [user, system] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * TICK;
}
