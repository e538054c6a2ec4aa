// Starts CPython in an isolate: Pyodide's core without its loader. Nothing is fetched, and only Python compiles code.

import { SCRIPT_FILES } from "../../../domain/code/script-limits";
import { Containers } from "./containers";
import core from "./core.wasm";
import type { Callable, Core, CoreApi } from "./emscripten";
import { Files } from "./files";
import gateway from "./gateway.zip";
import sentinel from "./sentinel.wasm";
import standard from "./standard.zip";
import trampoline from "./trampoline.wasm";
import { Watch } from "./watch";

const MiB = 1024 * 1024;

/** Limits of the interpreter in its isolate of 128 MB. */
export const PYTHON_LIMITS = {
  /** About 30 MiB are in use after the start. Above the limit Python raises MemoryError. */
  heapBytes: 64 * MiB,
  /** An interpreter that has grown beyond this is not reused, because it never frees memory. */
  spentBytes: 40 * MiB,
} as const;

export interface Interpreter {
  files: Files;
  /** A function of `_gateway.py`. */
  run: Callable;
  watch: Watch;
  streams: Streams;
  heapBytes(): number;
  /** Starts to call the watch. */
  listen(): void;
}

/** The targets of the standard streams in this run. */
interface Streams {
  /** Returns the number of bytes written. */
  write(name: "stdout" | "stderr", bytes: Uint8Array): number;
  read(into: Uint8Array): number;
}

/** The interface of the modules in `modules/` to the harness. */
export interface Bridge {
  breathe(): Promise<void>;
  emit(action: string, payload: string): Promise<string>;
  request(action: string, payload: string): Promise<string>;
  log(text: string): void;
  /** Runs a command on the current files. Argument and result are JSON. */
  execute(ask: string): Promise<string>;
  /** Sends a request, whose URL, method and headers are JSON. `head` has status and headers of the response, or `error`. */
  fetch(ask: string, body: Uint8Array): Promise<{ head: string; body: Uint8Array }>;
}

export async function boot(bridge: Bridge): Promise<Interpreter> {
  const { default: createModule } = await import("./core.js");
  const watch = new Watch();
  const api = {
    config: {
      // The objects that `import js` can access.
      jsglobals: { setTimeout, clearTimeout, setInterval, clearInterval, Object, Promise },
      env: { HOME: SCRIPT_FILES.home, LANG: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1", PYTHONINSPECT: "1" },
      packages: [],
      args: [],
      enableRunUntilComplete: true,
    },
    runtimeEnv: { IN_WORKERD: true, IN_BROWSER: true, IN_BROWSER_MAIN_THREAD: true },
  } as unknown as CoreApi & { config: { env: Record<string, string> } };
  const settings = {
    API: api,
    trampoline,
    heapMax: PYTHON_LIMITS.heapBytes,
    noImageDecoding: true,
    noAudioDecoding: true,
    noWasmDecoding: true,
    locateFile: (path: string) => `/${path}`,
    print() {},
    printErr() {},
    preRun: [
      (module: Core) => {
        const version = module.HEAPU32[module._Py_Version >>> 2] ?? 0;
        const [major, minor] = [version >>> 24, (version >>> 16) & 255];
        api.pyVersionTuple = [major, minor, (version >>> 8) & 255];
        api.sitePackages = `/lib/python${major}.${minor}/site-packages`;
        const { FS } = module;
        for (const folder of [api.sitePackages, `/lib/python${major}.${minor}/lib-dynload`]) FS.mkdirTree(folder);
        FS.writeFile(`/lib/python${major}${minor}.zip`, new Uint8Array(standard), { canOwn: true });
        FS.writeFile("/lib/gateway.zip", new Uint8Array(gateway), { canOwn: true });
        Object.assign(module.ENV, api.config.env);
      },
    ],
    instantiateWasm(
      imports: { env: Record<string, unknown> },
      done: (instance: WebAssembly.Instance, module: unknown) => void,
    ) {
      Object.assign(imports.env, new WebAssembly.Instance(sentinel).exports);
      imports.env._Py_CheckEmscriptenSignals_Helper = watch.signal;
      done(new WebAssembly.Instance(core, imports as WebAssembly.Imports), core);
      return {};
    },
  };
  const module = await elsewhere(() => createModule(settings));
  module.locateFile = (path) => {
    throw new Error(`There is no library ${path}`);
  };
  const python = api.finalizeBootstrap();
  api._pyodide.set_excepthook();
  api.initializeStreams();
  // Its streams are devices, which are created now. Later the file system allows no changes to its folders.
  const streams: Streams = { write: (_, bytes) => bytes.length, read: () => 0 };
  python.setStdout({ isatty: false, write: (bytes) => streams.write("stdout", bytes) });
  python.setStderr({ isatty: false, write: (bytes) => streams.write("stderr", bytes) });
  python.setStdin({ isatty: false, read: (into) => streams.read(into) });
  const files = new Files(module.FS);
  const containers = () => new Containers(() => module.HEAPU32);
  python.registerJsModule("_gateway_bridge", { ...bridge, containers });
  python.runPython("import sys; sys.path.append('/lib/gateway.zip')");
  const { run, settle } = python.pyimport("_gateway");
  if (run === undefined || settle === undefined) throw new Error("The parts of Python do not fit together.");
  settle();
  return {
    files,
    run,
    watch,
    streams,
    heapBytes: () => module.HEAP8.length,
    listen: () => {
      module.HEAP8[module._Py_EMSCRIPTEN_SIGNAL_HANDLING] = 1;
    },
  };
}

/** Pyodide detects its environment. A browser's main thread is the closest match. */
async function elsewhere<T>(make: () => Promise<T>): Promise<T> {
  const places = {
    window: { sessionStorage: {} },
    document: { createElement() {} },
    sessionStorage: {},
    importScripts: 1,
  };
  Object.assign(globalThis, places);
  try {
    // The detection happens during the call, before the first wait.
    return make();
  } finally {
    for (const name of Object.keys(places)) delete (globalThis as Record<string, unknown>)[name];
  }
}
