// Executor for JavaScript and TypeScript with Node's built-in modules. The harness is a static asset that scripts/build/guest.mjs builds
// from src/sandbox/guest/node/.

import { type RunnableScripts, runnableScripts } from "../domain/code/compiled";
import { isCode } from "../domain/code/graph";
import { RUN_ROOTS } from "../domain/code/run-path";
import { SCRIPT_FILES, TOO_LARGE_TO_RUN } from "../domain/code/script-limits";
import { sha256Hex } from "../domain/digest";
import { DURATIONS } from "../domain/durations";
import { CODE_LIMITS } from "../domain/limits";
import { compileInIsolate } from "./compiling";
import type { Executor, IsolateParts, ScriptCall, StoredZip } from "./executor";
import { readGuest } from "./guest";
import type { IsolateCode } from "./isolate";
import { COMPATIBILITY_DATE } from "./modules";
import { runInIsolate } from "./script";
import { TICK_MODULE, TICK_SOURCE } from "./tick";
import { tickingFunction } from "./ticking";

const COMPATIBILITY_FLAGS = ["nodejs_compat"];

/** `load` returns the compiled scripts of the package, or a string with the reason why there are none. */
export function javascript(parts: IsolateParts, load: () => Promise<RunnableScripts | string>): Executor {
  return {
    runs: ({ language }) => language === "javascript",
    async run(call, signal) {
      const guest = await readGuest(parts.assets, "node.js");
      const around = await sha256Hex(JSON.stringify([ENTRY, LOAD, apart(""), TICK_SOURCE, LIMITS, __LOCAL_RUNTIME__]));
      const written = await writtenCode(parts, call);
      const more = typeof written === "object" ? written : null;
      const id = [guest.digest, around, COMPATIBILITY_DATE, call.digest, call.context.userId, more?.digest ?? ""];
      const isolate: IsolateCode = {
        id,
        language: "javascript",
        load: async () => {
          if (typeof written === "string") return written;
          const [own, zip] = await Promise.all([load(), parts.readZip()]);
          // A package without code can still run a script that the run itself has written.
          const scripts = typeof own === "string" && more !== null ? NONE : own;
          if (typeof scripts === "string") return scripts;
          return typeof zip === "string"
            ? zip
            : workerCode(guest.text, withWritten(scripts, more?.scripts ?? NONE), zip);
        },
      };
      return runInIsolate(parts, isolate, call, signal);
    },
  };
}

/** The name of source text without a file. */
const TEXT = "[eval]";

/**
 * Compiles code that is not part of the published package: the text of `node -e`, or a file that the run has written. It is compiled in a
 * separate isolate before it runs. Returns `null` if the call needs only the package's code, and a string with the reason if it cannot run.
 */
async function writtenCode(
  { loader, assets }: Pick<IsolateParts, "loader" | "assets">,
  { part, files, script }: ScriptCall,
): Promise<{ digest: string; scripts: RunnableScripts } | string | null> {
  if (part === undefined) return null;
  const written = files.find(({ path }) => path === part.file);
  if (part.text === undefined && written === undefined) return null;
  const bytes = part.text === undefined ? (written?.bytes ?? new Uint8Array()) : new TextEncoder().encode(part.text);
  const name = part.file?.split("/").at(-1) ?? "text.js";
  // As in Node, a name without a known extension is JavaScript.
  const path = isCode(name) ? name : "text.js";
  const file = { path, size: bytes.length, offset: 0, mode: 0o644 as const, sha256: "" };
  const { code } = await compileInIsolate({ loader, assets }, { zip: bytes, files: [file], manifest: { tools: [] } });
  const compiled = code === null ? null : runnableScripts(code);
  if (compiled === null) return "The code could not be compiled now. Try again.";
  const key = part.text === undefined ? script.path : TEXT;
  const named = <T>(of: Record<string, T>) => Object.fromEntries(Object.entries(of).map(([, value]) => [key, value]));
  const scripts = { functions: named(compiled.functions), faults: named(compiled.faults) };
  return { digest: await sha256Hex(JSON.stringify([key, scripts])), scripts };
}

const NONE: RunnableScripts = { functions: {}, faults: {} };

function withWritten(own: RunnableScripts, written: RunnableScripts): RunnableScripts {
  const faults = Object.entries(own.faults).filter(([path]) => written.functions[path] === undefined);
  return {
    functions: { ...own.functions, ...written.functions },
    faults: { ...Object.fromEntries(faults), ...written.faults },
  };
}

const ENTRY = `
import { harness } from "./node.js";
import zip from "./package.zip";
import index from "./index.json";
import load from "./load.cjs";
import { reset, tick } from ${JSON.stringify(`../${TICK_MODULE}`)};
export default harness({ ...index, zip, reset, load: (name) => load(name, tick) });
`;

/** With ticks, a module exports a function that takes the tick function. */
const LOAD = __LOCAL_RUNTIME__
  ? "module.exports = (name, tick) => require('../' + name)(tick);"
  : "module.exports = (name) => require('../' + name);";

/**
 * Hides the five names that the runtime passes to a module from a file's function: this `require` would return the runtime's files, process
 * and output. A CommonJS file receives its own values for them, an ES module has none.
 */
const apart = (source: string) =>
  `module.exports = ((require, module, exports, __filename, __dirname) => ${source})();`;

const NO_TICKS = "export const tick = () => {}, reset = tick;";

const LIMITS = {
  ...SCRIPT_FILES,
  roots: RUN_ROOTS,
  outputChars: CODE_LIMITS.outputChars,
  calls: CODE_LIMITS.hostCalls,
  logLines: CODE_LIMITS.logLines,
  heardMs: DURATIONS.heard,
};

function workerCode(guest: string, { functions, faults }: RunnableScripts, { zip, files }: StoredZip) {
  if (files.reduce((sum, { size }) => sum + size, 0) > SCRIPT_FILES.packageBytes) return TOO_LARGE_TO_RUN;
  const modules: Record<string, WorkerLoaderModule> = {
    "gateway/main.js": { js: ENTRY },
    "gateway/node.js": { js: guest },
    "gateway/load.cjs": { cjs: LOAD },
    "gateway/package.zip": { data: zip.slice().buffer },
    [TICK_MODULE]: { js: __LOCAL_RUNTIME__ ? TICK_SOURCE : NO_TICKS },
  };
  const index: Record<string, object> = {};
  for (const [path, { source, kind, imports, isAsync }] of Object.entries(functions)) {
    const name = `skill/${/^[\w-][\w./-]*$/.test(path) ? path : `~${Object.keys(index).length}`}.cjs`;
    modules[name] = {
      cjs: apart(tickingFunction(source, path)),
    };
    index[path] = { name, kind, imports, isAsync };
  }
  for (const [path, fault] of Object.entries(faults)) index[path] = { fault };
  const places = files.map(({ path, offset, size, mode }) => ({ path, offset, size, mode }));
  modules["gateway/index.json"] = { json: { files: places, functions: index, limits: LIMITS } };
  return {
    ...{ compatibilityDate: COMPATIBILITY_DATE, compatibilityFlags: COMPATIBILITY_FLAGS },
    ...{ mainModule: "gateway/main.js", modules, globalOutbound: null, env: {} },
  };
}
