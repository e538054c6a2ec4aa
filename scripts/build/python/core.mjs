// Extracts the JavaScript part of CPython and its WebAssembly modules from the npm package `pyodide`, and removes what an isolate of the
// Worker Loader does not support. Every edit here is under the MPL-2.0, like the files it changes (see THIRD_PARTY.md).

import { readFile } from "node:fs/promises";
import path from "node:path";

/** The trampoline for calls through a table. Pyodide would compile this module at run time, which an isolate does not allow. */
const TRAMPOLINE = /new WebAssembly\.Module\(hexStringToUTF8Array\("([0-9a-f]+)"\)\)/;
/**
 * The sentinel that distinguishes JavaScript errors from Python's. It is part of the loader that is left out, and would also be compiled at
 * run time.
 */
const SENTINEL = /"(AGFzbQ[A-Za-z0-9+/=]+)"/;

/** Pairs of a text in `pyodide.asm.mjs` and its replacement, with the reason. Each text must occur exactly once. */
const EDITS = [
  // Passed as a module of the isolate.
  [TRAMPOLINE, "Module.trampoline"],
  // The harness sets the heap limit instead of 4 GiB. Python raises a MemoryError before the platform ends the isolate.
  ["var getHeapMax=()=>4294901760", "var getHeapMax=()=>Module.heapMax"],
  // It looks for JSPI by compiling an empty module. workerd has JSPI.
  ["new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0]))", "true"],
];
/** The code adds a listener to its window and reads its location. An isolate has neither. */
const FIRST_LINE = "const addEventListener=()=>{},location=undefined;";

/**
 * @param {string} folder of the package `pyodide`
 * @returns {Promise<Record<string, string | Buffer>>} by the names of the files
 */
export async function coreOf(folder) {
  const read = (name) => readFile(path.join(folder, name));
  const [core, loader, wasm] = await Promise.all([
    read("pyodide.asm.mjs").then(String),
    read("pyodide.mjs").then(String),
    read("pyodide.asm.wasm"),
  ]);
  return {
    "core.js": FIRST_LINE + EDITS.reduce((text, [what, by]) => replaceOnce(text, what, by), core),
    "core.wasm": wasm,
    "trampoline.wasm": Buffer.from(only(core, TRAMPOLINE)[1], "hex"),
    "sentinel.wasm": Buffer.from(only(loader, SENTINEL)[1], "base64"),
  };
}

function replaceOnce(text, what, by) {
  return text.replace(only(text, what)[0], () => by);
}

/** Pyodide's internals are not a public interface. If a new version differs here, the edits need a review. */
function only(text, what) {
  const pattern = typeof what === "string" ? what.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : what.source;
  const found = [...text.matchAll(new RegExp(pattern, "g"))];
  if (found.length === 1) return found[0];
  throw new Error(`Pyodide has changed: expected once, found ${found.length} times: ${pattern.slice(0, 80)}`);
}
