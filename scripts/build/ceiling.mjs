// How much code the Worker may be. workerd compiles all modules at each start, also those that nothing has called yet, so a new
// dependency costs every start, however lazily it is imported.

import { Refusal } from "../kit/refusal.mjs";

/** Bytes of all modules of a release when issue 11 was closed (commit 19c351b, 2026-11-22). */
const THEN = 1_693_863;
/** The start may grow with the product, but not unnoticed. */
export const MOST_BYTES = Math.floor(1.2 * THEN);

/**
 * Refuses modules that are too large together.
 * @param {Record<string, string>} modules texts by file name, minified
 */
export function checkCeiling(modules) {
  const sizes = Object.entries(modules).map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MOST_BYTES) return;
  const largest = sizes
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} ${kib(bytes)}`);
  throw new Refusal(
    `The Worker's modules are ${kib(total)} together, and may be ${kib(MOST_BYTES)}, since workerd compiles all of them at each start. The largest: ${largest.join(", ")}. What few requests need can be code for an isolate, read from a static asset like public/sandbox/compiler.js.`,
  );
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
