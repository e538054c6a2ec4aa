// The JavaScript half of CPython and its WebAssembly modules, out of the npm package `pyodide`, with what an isolate of the Worker
// Loader does not have taken out. Every edit here is under the MPL-2.0, as the files that it changes; THIRD_PARTY.md says more.

import { readFile } from "node:fs/promises";
import path from "node:path";

/** The trampoline for calls through a table: a module that Pyodide would compile while it runs, which an isolate may not. */
const TRAMPOLINE = /new WebAssembly\.Module\(hexStringToUTF8Array\("([0-9a-f]+)"\)\)/;
/** The sentinel that tells JavaScript errors from Python's, in the loader that is left out: likewise. */
const SENTINEL = /"(AGFzbQ[A-Za-z0-9+/=]+)"/;

/** What stands in `pyodide.asm.mjs`, what stands there instead, and why. Each must be there exactly once. */
const EDITS = [
  // Given as a module of the isolate.
  [TRAMPOLINE, "Module.trampoline"],
  // The heap ends where the harness says and not at 4 GiB: a MemoryError in Python, before the platform ends the isolate.
  ["var getHeapMax=()=>4294901760", "var getHeapMax=()=>Module.heapMax"],
  // It looks for JSPI by compiling an empty module. workerd has JSPI.
  ["new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0]))", "true"],
];
/** It listens to its window and asks where that is. There is none. */
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

/** The inside of Pyodide is no interface: another version may look different, and then somebody has to look, too. */
function only(text, what) {
  const pattern = typeof what === "string" ? what.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") : what.source;
  const found = [...text.matchAll(new RegExp(pattern, "g"))];
  if (found.length === 1) return found[0];
  throw new Error(`Pyodide has changed: expected once, found ${found.length} times: ${pattern.slice(0, 80)}`);
}
