// Provides Node's modules for scripts: the runtime's where they work, and replacements for stubs and for modules that would access the
// operator's log or the runtime's own files.

import { countStream } from "./files.js";
import { begin, callbackOf, during, noteUntracked, timers } from "./loop.js";
import { httpModule } from "./network.js";
import { parseArgsOf } from "./parse-args.js";
import { keepModule } from "./pristine.js";
import { makeReadline } from "./readline.js";

/** Saved before a script can replace it. */
const real = globalThis.process.getBuiltinModule;

const REAL = new Set(
  `assert assert/strict async_hooks buffer constants crypto dgram diagnostics_channel dns dns/promises events http2 net
  path/win32 perf_hooks punycode querystring stream stream/consumers stream/promises stream/web string_decoder tls url
  util/types zlib`.split(/\s+/),
);
/** Modules with asynchronous work that continues after the call. The script waits for it. */
const WAITED = new Set(["crypto", "zlib", "dns", "net", "tls"]);

/** Modules with classes of the runtime whose asynchronous work is not tracked. */
const UNTRACKED = new Set(["buffer", "crypto", "events", "stream/consumers", "stream/web", "util"]);

export function makeBuiltins({ run, fs, createRequire }) {
  const own = {
    fs: () => fs,
    "fs/promises": () => fs.promises,
    process: () => run.process,
    sys: () => get("util"),
    path: () => pathModule(run),
    "path/posix": () => get("path"),
    console: () => run.console,
    http: () => httpModule(run, real("node:http"), "http:"),
    https: () => httpModule(run, real("node:https"), "https:"),
    module: () => moduleModule(createRequire, names),
    timers: () => ({ ...timers, promises: timersPromises() }),
    "timers/promises": timersPromises,
    readline: () => makeReadline(run),
    "readline/promises": () => makeReadline(run).promises,
    child_process: () => childProcess(run),
    os: () => osModule(run),
    util: () => ({ ...real("node:util"), parseArgs: parseArgsOf(() => run.process.argv.slice(2)) }),
    tty: () => ({ isatty: () => false, ReadStream: class {}, WriteStream: class {} }),
    worker_threads: () => ({
      ...refusing("worker_threads", ["Worker"]),
      isMainThread: true,
      parentPort: null,
      workerData: null,
      threadId: 0,
    }),
    cluster: () => ({
      isMaster: true,
      isPrimary: true,
      isWorker: false,
      workers: {},
      ...refusing("cluster", ["fork"]),
    }),
    vm: () =>
      refusing("vm", [
        "runInThisContext",
        "runInNewContext",
        "runInContext",
        "createContext",
        "Script",
        "compileFunction",
      ]),
    v8: () => v8Module(),
  };
  const names = [...REAL, ...Object.keys(own)].sort();
  const made = new Map();

  function get(specifier) {
    const name = String(specifier).replace(/^node:/, "");
    if (!names.includes(name)) return undefined;
    if (UNTRACKED.has(name)) noteUntracked(run);
    if (!made.has(name)) made.set(name, Object.hasOwn(own, name) ? own[name]() : realModule(name, run));
    return made.get(name);
  }
  return { get, has: (specifier) => names.includes(String(specifier).replace(/^node:/, "")) };
}

function realModule(name, run) {
  const module = real(`node:${name}`);
  keepModule(module);
  if (module === undefined || !WAITED.has(name)) return module;
  // Callbacks and promises of these modules count as pending work of the script. Classes and streams are unchanged.
  const waited = Object.create(Object.getPrototypeOf(module), Object.getOwnPropertyDescriptors(module));
  for (const [key, value] of Object.entries(module)) {
    if (typeof value !== "function" || /^[A-Z]/.test(key)) continue;
    const wrapped = (...args) => {
      const at = args.length - 1;
      if (typeof args[at] === "function") {
        const end = begin(run);
        const callback = callbackOf(run, args[at]);
        args[at] = (...answer) => {
          end();
          return callback(...answer);
        };
      }
      const answer = value.apply(module, args);
      if (typeof answer?.then === "function") return during(run, answer);
      if (/^create(?:Cipher|Decipher)iv$/.test(key)) return textCipher(answer);
      return typeof answer?.pipe === "function" && name === "zlib" ? countStream(answer, run) : answer;
    };
    Object.defineProperty(waited, key, {
      value: Object.assign(wrapped, value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return waited;
}

function moduleModule(createRequire, names) {
  const Module = function Module() {};
  const isBuiltin = (name) => names.includes(String(name).replace(/^node:/, ""));
  return Object.assign(Module, {
    Module,
    createRequire,
    builtinModules: names,
    isBuiltin,
    enableCompileCache() {},
    register() {},
  });
}

/** Relative paths resolve against the script's working directory instead of the runtime's. */
function pathModule(run) {
  const path = { ...real("node:path") };
  const resolve = (...parts) => real("node:path").resolve(run.process.cwd(), ...parts);
  const relative = (from, to) => real("node:path").relative(resolve(from), resolve(to));
  Object.assign(path, { resolve, relative });
  return Object.assign(path, { posix: path });
}

/** Text defaults to UTF-8. */
function textCipher(cipher) {
  const { update } = cipher;
  cipher.update = (data, encoding, ...rest) =>
    update.call(cipher, data, typeof data === "string" ? (encoding ?? "utf8") : encoding, ...rest);
  return cipher;
}

function timersPromises() {
  const waitFor =
    (set, clear) =>
    (ms, value, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const stop = () => {
          clear(timer);
          reject(signal.reason);
        };
        if (signal?.aborted) return reject(signal.reason);
        const timer = set(() => {
          signal?.removeEventListener("abort", stop);
          resolve(value);
        }, ms);
        signal?.addEventListener("abort", stop, { once: true });
      });
  const setTimer = waitFor(timers.setTimeout, timers.clearTimeout);
  return {
    setTimeout: setTimer,
    setImmediate: (value, options) => setTimer(0, value, options),
    async *setInterval(ms, value) {
      for (;;) yield await setTimer(ms, value);
    },
    scheduler: { wait: (ms, options) => setTimer(ms, undefined, options), yield: () => setTimer(0) },
  };
}

function refusing(module, names) {
  const refuse = (name) =>
    function Refused() {
      throw Object.assign(new Error(`node:${module}: ${name} is not available here`), {
        code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
      });
    };
  return Object.fromEntries(names.map((name) => [name, refuse(name)]));
}

function osModule({ limits }) {
  const user = { username: "skill", homedir: limits.home, uid: 1000, gid: 1000, shell: "/bin/sh" };
  const cpu = { model: "cpu", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } };
  return {
    ...real("node:os"),
    ...{ homedir: () => limits.home, tmpdir: () => "/tmp", hostname: () => "skill", userInfo: () => ({ ...user }) },
    ...{
      cpus: () => [{ ...cpu }],
      availableParallelism: () => 1,
      platform: () => "linux",
      type: () => "Linux",
      arch: () => "x64",
    },
    ...{
      release: () => "6.0.0",
      totalmem: () => 128 << 20,
      freemem: () => 64 << 20,
      uptime: () => 1,
      loadavg: () => [0, 0, 0],
    },
    ...{
      networkInterfaces: () => ({}),
      EOL: "\n",
      devNull: "/dev/null",
      endianness: () => "LE",
      machine: () => "x86_64",
      version: () => "",
    },
  };
}

function v8Module() {
  const clone = (value) => structuredClone(value);
  return {
    deserialize: clone,
    serialize: clone,
    getHeapStatistics: () => ({ heap_size_limit: 128 << 20, used_heap_size: 2e7, total_heap_size: 3e7 }),
  };
}

/** Behaves like a machine without any programs, which scripts are prepared for. */
function childProcess(run) {
  const nameOf = (command) => /[^\s]+/.exec(String(command))?.[0] ?? "";
  const missing = (command) =>
    Object.assign(new Error(`spawn ${command} ENOENT: a script cannot start programs here`), {
      code: "ENOENT",
      errno: -2,
      syscall: `spawn ${command}`,
      path: command,
    });
  const said = (command) => `/bin/sh: 1: ${nameOf(command)}: not found (a script cannot start programs here)\n`;
  const failed = (command) =>
    Object.assign(new Error(`Command failed: ${command}\n${said(command)}`), {
      status: 127,
      code: 127,
      signal: null,
      stdout: "",
      stderr: said(command),
      cmd: command,
    });
  const child = (error, stderr) => {
    const [Emitter, { PassThrough }] = [real("node:events"), real("node:stream")];
    const made = Object.assign(new Emitter(), {
      pid: undefined,
      exitCode: null,
      killed: false,
      kill: () => false,
      ref() {},
      unref() {},
    });
    Object.assign(made, { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });
    for (const stream of [made.stdout, made.stderr]) stream.resume();
    timers.setImmediate(() => {
      made.stdout.end();
      made.stderr.end(stderr ?? "");
      if (stderr === null) made.emit("error", error);
      else {
        made.emit("exit", 127, null);
        made.emit("close", 127, null);
      }
    });
    return made;
  };
  const answer = (error, args) => {
    const callback = args.findLast((one) => typeof one === "function");
    if (callback !== undefined) timers.setImmediate(() => callback(error, "", error.stderr ?? ""));
  };
  const api = {
    spawn: (command, args, options) =>
      (options ?? args)?.shell ? child(null, said(command)) : child(missing(command), null),
    exec: (command, ...rest) => {
      answer(failed(command), rest);
      return child(null, said(command));
    },
    execFile: (command, ...rest) => {
      const error = missing(command);
      answer(error, rest);
      const made = child(error, null);
      made.on("error", () => {});
      return made;
    },
    fork: (path) => child(missing(path), null),
    execSync(command, options) {
      const { stdio } = options ?? {};
      if ((Array.isArray(stdio) ? stdio[2] : stdio) === undefined || stdio === "inherit")
        run.write("stderr", said(command));
      throw failed(command);
    },
    execFileSync(command) {
      throw Object.assign(missing(command), { status: null, signal: null, stdout: null, stderr: null });
    },
    spawnSync(command, args, options) {
      const empty = options?.encoding ? "" : Buffer.alloc(0);
      if ((options ?? args)?.shell)
        return {
          status: 127,
          signal: null,
          stdout: empty,
          stderr: said(command),
          output: [null, empty, said(command)],
          pid: 0,
        };
      return { status: null, signal: null, error: missing(command), stdout: null, stderr: null, output: null, pid: 0 };
    },
  };
  const promisified =
    (name) =>
    (...args) =>
      new Promise((resolve, reject) => {
        api[name](...args, (error, stdout, stderr) => (error ? reject(error) : resolve({ stdout, stderr })));
      });
  const custom = Symbol.for("nodejs.util.promisify.custom");
  for (const name of ["exec", "execFile"]) api[name][custom] = promisified(name);
  return api;
}
