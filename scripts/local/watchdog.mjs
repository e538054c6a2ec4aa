// Ends a runtime that is stuck. Locally nothing bounds the CPU of a Worker, and one endless loop stops everything in the process.

const INTERVAL = 250;
/** A path that needs no storage: nothing but a runtime that does not run keeps it waiting for so long. */
const PROBE = "/watchdog";
const PATIENCE = 2_000;
/** So many answers in a row are late: one may be the machine's fault, which runs something else. */
const LATE = 2;

/**
 * Asks again and again. Any answer will do, and so will a refused connection: that is a restart, not a knot.
 * @param {string} url of the gateway
 * @param {() => boolean} isStarting whether the runtime is on its way back: to end it then would keep it from coming
 * @param {() => void} onStuck called when answers took too long
 */
export function watch(url, isStarting, onStuck) {
  let late = 0;
  const ask = async () => {
    const began = performance.now();
    try {
      const answer = await fetch(new URL(PROBE, url), { signal: AbortSignal.timeout(PATIENCE) });
      await answer.arrayBuffer();
      late = 0;
    } catch (error) {
      // Much later than the timeout: this process did not run either, so the machine slept or is overloaded.
      const wasAsleep = performance.now() - began > PATIENCE + 1_000;
      const isLate = error.name === "TimeoutError" && !wasAsleep && !isStarting();
      late = isLate ? late + 1 : 0;
      if (late === LATE) {
        late = 0;
        onStuck();
      }
    }
    setTimeout(ask, INTERVAL).unref();
  };
  setTimeout(ask, INTERVAL).unref();
}
