// Ends a runtime that is stuck. Locally nothing bounds the CPU of a Worker, and one endless loop stops everything in the process.

const INTERVAL = 250;
/** A path that needs no storage: nothing but a runtime that does not run keeps it waiting for so long. */
const PROBE = "/watchdog";
const PATIENCE = 2_000;

/**
 * Asks again and again. Any answer will do, and so will a refused connection: that is a restart, not a knot.
 * @param {string} url of the gateway
 * @param {() => void} onStuck called when an answer took too long
 */
export function watch(url, onStuck) {
  const ask = async () => {
    const began = performance.now();
    try {
      const answer = await fetch(new URL(PROBE, url), { signal: AbortSignal.timeout(PATIENCE) });
      await answer.arrayBuffer();
    } catch (error) {
      // Much later than the timeout: this process did not run either, so the machine slept or is overloaded.
      const wasAsleep = performance.now() - began > PATIENCE + 1_000;
      if (error.name === "TimeoutError" && !wasAsleep) onStuck();
    }
    setTimeout(ask, INTERVAL).unref();
  };
  setTimeout(ask, INTERVAL).unref();
}
