// Limits the size of the Worker's code. All of it is uploaded, and each isolate stores in memory the parts it has called. The main module
// and its static imports are compiled and run at each start.

import { gzipSync } from "node:zlib";
import { Refusal } from "../kit/refusal.mjs";

/** Size of all modules of a release on 2026-11-22. */
const THEN = 1_533_746;
/**
 * The limit on all modules: the code can grow with the product, but not unnoticed. It allows 1.1 times the size, plus code that is loaded
 * late: that of issues 19 to 21, the sign-in to MCP servers and the executor (2026-11-25), the registry API, servers with several
 * addresses, skills of servers, predictive loading, and the catalog pages with their Markdown library (80 KiB), ratings and insights (2026-11-26).
 * Traces and the stream of events are part of it, too (2026-11-26). More code that is loaded late also means more modules, which name
 * what they import from each other (15 KiB, 2026-11-27).
 */
export const MOST_BYTES = Math.floor(1.535 * THEN);
/** The limit on the code of a start, in KiB of gzip: 1.2 times the size when the limit was set (31). */
export const MOST_START_KIB = 38;

/** Throws if the modules are too large together. */
export function checkCeiling(modules) {
  const sizes = Object.entries(modules).map(([name, text]) => ({ name, bytes: Buffer.byteLength(text) }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MOST_BYTES) return;
  const largest = sizes
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} ${kib(bytes)}`);
  throw new Refusal(
    `The Worker's modules are too large (limit ${kib(MOST_BYTES)}, found ${kib(total)}). The largest: ${largest.join(", ")}. Move code that few requests need into a static asset, like public/sandbox/compiler.js.`,
  );
}

/**
 * Throws if the code of a start is too large. Code that few requests need belongs behind an `import()` whose module is cached.
 * @param {string[]} texts of the main module and of all its static imports, minified
 */
export function checkStart(texts) {
  const total = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0) / 1024;
  if (total <= MOST_START_KIB) return;
  throw new Refusal(
    `The code that the Worker loads at its start is too large (limit ${MOST_START_KIB} KiB gzip, found ${total.toFixed(1)} KiB). Import code that few requests need on demand, like src/edges.ts.`,
  );
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
