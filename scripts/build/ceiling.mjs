// How much code the Worker may be. The whole is uploaded, and kept in memory by each isolate as far as it was called; the main module and
// what it imports statically is compiled and run at each start.

import { gzipSync } from "node:zlib";
import { Refusal } from "../kit/refusal.mjs";

/** Bytes of all modules of a release when issue 15 was closed (2026-11-22). */
const THEN = 1_533_746;
/** The whole may grow with the product, but not unnoticed: 1.1 times it, and what issues 19 to 21 added, which comes late. */
export const MOST_BYTES = Math.floor(1.24 * THEN);
/** What the start may be of it, gzip: 1.2 times what it is (31). */
export const MOST_START_KIB = 38;

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
    `The Worker's modules are ${kib(total)} together, and may be ${kib(MOST_BYTES)}. The largest: ${largest.join(", ")}. What few requests need can be code for an isolate, read from a static asset like public/sandbox/compiler.js.`,
  );
}

/**
 * Refuses a start that has become too large: what few requests need stands behind an `import()` whose module is kept.
 * @param {string[]} texts of the main module and of all that it imports statically, minified
 */
export function checkStart(texts) {
  const total = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1024;
  if (total <= MOST_START_KIB) return;
  throw new Refusal(
    `What the Worker reads at its start is ${total.toFixed(1)} KiB (gzip), and may be ${MOST_START_KIB}. Import what few requests need when the first of them comes, as src/edges.ts does.`,
  );
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
