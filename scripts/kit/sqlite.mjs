// Loads SQLite of Node, which prints a warning about its own stability that does not help the users of these scripts.

import { createRequire } from "node:module";

const emit = process.emitWarning;
process.emitWarning = (warning, ...options) => {
  if (!String(warning).startsWith("SQLite is an experimental feature")) emit.call(process, warning, ...options);
};

/** @type {typeof import("node:sqlite")} */
export const { DatabaseSync } = createRequire(import.meta.url)("node:sqlite");
