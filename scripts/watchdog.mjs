// Ends a runtime that is stuck. Locally nothing bounds the CPU of a Worker, and one endless loop stops everything in the process.

const INTERVAL = 1_000;
const PATIENCE = 3_000;

/**
 * Asks for the health once a second. Any answer will do, and so will a refused connection: that is a restart, not a knot.
 * @param {string} url of the gateway
 * @param {() => void} onStuck called when an answer took too long
 */
export function watch(url, onStuck) {
  const ask = async () => {
    const began = performance.now();
    try {
      const answer = await fetch(new URL("/health", url), { signal: AbortSignal.timeout(PATIENCE) });
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
