// Implements `process` for a run. The runtime's own `process` writes to the operator's log.

import EventEmitter from "node:events";
import nodePath from "node:path";
import { Readable, Writable } from "node:stream";
import { bindProcess, countStream } from "./files.js";
import { callbackOf } from "./loop.js";

const VERSION = "22.19.0";
const soon = queueMicrotask;

export function makeProcess({ asked, run, fs }) {
  const { skill, workspace, home } = run.limits;
  let cwd = asked.cwd ?? workspace;
  const script = asked.text === undefined ? [asked.file ?? `${skill}/${asked.path}`] : [];
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  run.writeBytes = (name, data) => {
    if (typeof data === "string") run.write(name, data);
    else run.write(name, decoders[name].decode(data, { stream: true }));
    return typeof data === "string" ? Buffer.byteLength(data) : data.byteLength;
  };
  const started = performance.now();
  const hrtime = (before) => {
    const now = performance.now();
    const [s, n] = [Math.floor(now / 1e3), Math.floor((now % 1e3) * 1e6)];
    if (before === undefined) return [s, n];
    return n < before[1] ? [s - before[0] - 1, n - before[1] + 1e9] : [s - before[0], n - before[1]];
  };
  hrtime.bigint = () => BigInt(Math.round(performance.now() * 1e6));
  const memory = { rss: 5e7, heapTotal: 3e7, heapUsed: 2e7, external: 1e6, arrayBuffers: 1e5 };
  const memoryUsage = Object.assign(() => ({ ...memory }), { rss: () => memory.rss });
  const refused = (name) => () => {
    throw Object.assign(new Error(`process.${name}() is not available here`), {
      code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    });
  };
  const process = new EventEmitter();
  Object.assign(process, {
    ...{
      argv: ["/usr/bin/node", ...script, ...asked.args],
      argv0: "node",
      execArgv: [],
      execPath: "/usr/bin/node",
    },
    env: { HOME: home, PATH: "/usr/bin", LANG: "C.UTF-8", PWD: cwd, TMPDIR: "/tmp", USER: "skill", ...asked.env },
    ...{
      pid: 2,
      ppid: 1,
      platform: "linux",
      arch: "x64",
      title: "node",
      exitCode: undefined,
      features: {},
      config: {},
    },
    ...{ version: `v${VERSION}`, versions: { node: VERSION, v8: "12.4.254" }, release: { name: "node", lts: "Jod" } },
    stdin: standardInput(asked.input, run),
    stdout: standardOutput("stdout", 1, run),
    stderr: standardOutput("stderr", 2, run),
    cwd: () => cwd,
    chdir(folder) {
      const path = nodePath.resolve(cwd, folder);
      if (!fs.statSync(path).isDirectory())
        throw Object.assign(new Error(`ENOTDIR: not a directory, chdir ${cwd} -> '${folder}'`), { code: "ENOTDIR" });
      cwd = path;
    },
    ...{ umask: () => 0o022, uptime: () => (performance.now() - started) / 1e3, hrtime, memoryUsage },
    ...{ getuid: () => 1000, getgid: () => 1000, geteuid: () => 1000, getegid: () => 1000 },
    cpuUsage: () => ({ user: 0, system: 0 }),
    resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: memory.rss / 1024 }),
    nextTick: (callback, ...args) => soon(callbackOf(run, () => callback(...args))),
    emitWarning: (warning) => run.write("stderr", `(node:2) ${warning?.stack ?? `Warning: ${warning}`}\n`),
    exit(code) {
      if (code !== undefined) process.exitCode = code;
      run.end(process.exitCode ?? 0);
      throw run.exitSignal;
    },
    reallyExit: (code) => process.exit(code),
    abort: () => process.exit(134),
    kill(pid) {
      if (pid === process.pid) return process.exit(143);
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM", errno: -1, syscall: "kill" });
    },
    ...{ binding: refused("binding"), dlopen: refused("dlopen"), setuid: refused("setuid"), setgid: refused("setgid") },
    getBuiltinModule: (name) => run.builtin(name),
    ...{ hasUncaughtExceptionCaptureCallback: () => false, allowedNodeEnvironmentFlags: new Set() },
  });
  process.setMaxListeners(0);
  bindProcess(fs, process);
  return process;
}

function standardInput(input, run) {
  let isGiven = false;
  const stdin = new Readable({
    read() {
      if (!isGiven && input !== "") this.push(Buffer.from(input));
      else this.push(null);
      isGiven = true;
    },
  });
  countStream(stdin, run);
  // Behaves like a pipe rather than a terminal.
  return Object.assign(stdin, { isTTY: undefined, fd: 0, ref: () => stdin, unref: () => stdin });
}

function standardOutput(name, fd, run) {
  const stream = new Writable({ decodeStrings: false, write: (_chunk, _encoding, done) => done() });
  stream.write = (chunk, encoding, done) => {
    const isText = typeof chunk === "string";
    const known = typeof encoding === "string" && encoding !== "utf8" && encoding !== "utf-8";
    run.writeBytes(name, isText && known ? Buffer.from(chunk, encoding) : chunk);
    const callback = typeof encoding === "function" ? encoding : done;
    if (typeof callback === "function") soon(callbackOf(run, callback));
    return true;
  };
  const { end } = stream;
  stream.end = (chunk, encoding, done) => {
    if (chunk !== undefined && typeof chunk !== "function") stream.write(chunk, encoding);
    return end.call(
      stream,
      [chunk, encoding, done].find((one) => typeof one === "function"),
    );
  };
  return Object.assign(stream, {
    fd,
    isTTY: undefined,
    columns: undefined,
    hasColors: () => false,
    getColorDepth: () => 1,
  });
}
