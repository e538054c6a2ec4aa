// The module that instrumented code calls in every loop and function.

import { CODE_LIMITS } from "../domain/limits";

export const TICK_MODULE = "gateway/tick.js";

/** A stretch ends when the isolate's timers run. While a module is evaluated the clock does not advance, so ticks are counted. */
export const TICK_SOURCE = `
const now = Date.now, later = setTimeout;
let count = 0, uncounted = 0, began = 0, over = false;
export function reset() { began = 0; over = false; }
export function tick() {
  if (!over) {
    if ((++count & 255) !== 0) return;
    const at = now();
    if (at === 0) over = (uncounted += 256) > 30_000_000;
    else if (began === 0) { began = at; later(reset, 0); }
    else over = at - began > ${CODE_LIMITS.localCpuMs};
    if (!over) return;
  }
  throw new RangeError("It ran for more than ${CODE_LIMITS.localCpuMs} ms without a pause.");
}
`;
