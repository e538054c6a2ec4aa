// Starts gateways as a user would, and stops them after the tests.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseEnv } from "node:util";
import { afterAll, afterEach } from "vitest";
import { markedProcesses, processOf } from "../../scripts/local/processes.mjs";
import { copyPrepared, type Place, placeIn } from "../support/prepared-state";

const root = path.dirname(path.dirname(import.meta.dirname));

export type { Place };

export interface Gateway {
  url: string;
  key: string;
  fetch(route: string, init?: RequestInit & { key?: string }): Promise<Response>;
}

interface Lock {
  port: number;
  launcher: { pid: number };
  runtime: { pid: number } | null;
  /** The process that runs skill code. */
  runner?: { pid: number } | null;
}

/** A launcher process from its start. */
export class Run {
  readonly stdout: string[] = [];
  readonly stderr: string[] = [];
  readonly exit: Promise<number | NodeJS.Signals>;
  private readonly waiting = new Set<() => void>();

  constructor(
    readonly place: Place,
    readonly process: ChildProcess,
    readonly environmentKey?: string,
  ) {
    for (const name of ["stdout", "stderr"] as const) {
      createInterface({ input: process[name]! }).on("line", (line) => {
        this[name].push(line);
        for (const look of this.waiting) look();
      });
    }
    const closed = once(process, "close");
    this.exit = once(process, "exit").then(async ([code, signal]) => {
      // Reads the remaining output. An orphaned process may keep the pipe open for longer.
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 500))]);
      for (const look of this.waiting) look();
      return code ?? signal;
    });
  }

  /** Resolves with the first line of stdout or stderr that matches. */
  line(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        for (const line of [...this.stdout, ...this.stderr]) {
          const match = pattern.exec(line);
          if (match === null) continue;
          this.waiting.delete(look);
          return resolve(match);
        }
        if (this.process.exitCode === null && this.process.signalCode === null) return;
        this.waiting.delete(look);
        reject(new Error(`ended without ${pattern}:\n${this.stderr.join("\n")}`));
      };
      this.waiting.add(look);
      look();
    });
  }

  async ready(): Promise<Gateway> {
    const [, url] = await this.line(/^✔ ready at (http:\/\/127\.0\.0\.1:\d+)$/);
    // The first start prints the key. Later starts print its location.
    const [, shown] = await this.line(/^ {2}Admin key {2}(?:(sgw_\S+)|.+)/);
    const key = shown ?? this.environmentKey ?? (await keyIn(this.place));
    return {
      url: url!,
      key: key!,
      fetch: (route, { key: other, ...init } = {}) =>
        fetch(new URL(route, url), { ...init, headers: { authorization: `Bearer ${other ?? key}`, ...init.headers } }),
    };
  }

  /** Returns the content of the lock file when it contains the runtime. */
  lock(): Promise<Lock & { runtime: { pid: number } }> {
    return until("the lock names a runtime", async () => {
      const lock = await readLock(this.place);
      return lock?.runtime == null ? null : { ...lock, runtime: lock.runtime };
    });
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.process.kill(signal);
    await this.exit;
  }
}

/** State to clean up after a test, and state that the tests of a file share. */
const left = { places: new Set<Place>(), runs: new Set<Run>() };
const shared = { places: new Set<Place>(), runs: new Set<Run>() };

afterEach(() => cleanUp(left));
afterAll(() => cleanUp(shared));

async function cleanUp({ places, runs }: typeof left): Promise<void> {
  for (const run of runs) {
    runs.delete(run);
    if (run.process.exitCode !== null || run.process.signalCode !== null) continue;
    run.process.kill("SIGTERM");
    await run.exit;
  }
  for (const place of places) {
    places.delete(place);
    const lock = await readLock(place);
    for (const running of [lock?.runtime, lock?.runner]) if (running != null) kill(running.pid);
    await rm(path.dirname(place.state), { recursive: true, force: true });
  }
}

/** Creates a place with the state and the keys of a gateway that has started once. */
export async function newPlace(): Promise<Place> {
  const place = await emptyPlace();
  await copyPrepared(place);
  return place;
}

/** Creates a place without a state and settings, for first starts. */
export async function emptyPlace(): Promise<Place> {
  const place = placeIn(await mkdtemp(path.join(tmpdir(), "skill-gateway-")));
  left.places.add(place);
  return place;
}

interface Options {
  port?: number;
  env?: Record<string, string>;
  script?: "start" | "dev";
  /** Starts through npm, as in a terminal. */
  npm?: boolean;
  /** Additional command line options. */
  args?: string[];
  /** Whether the start looks for an executor on this machine, as it does by default. Tests do not depend on what is installed. */
  looksForExecutor?: boolean;
  /** Folder of another checkout. */
  checkout?: string;
}

export function start(
  place: Place,
  {
    port = 0,
    env = {},
    script = "start",
    npm = false,
    args: more = [],
    checkout = root,
    looksForExecutor,
  }: Options = {},
): Run {
  const isPlain = script === "start" && looksForExecutor !== true && !more.includes("--executor");
  const options = ["--port", String(port), "--state", place.state, "--vars", place.vars, ...more];
  if (isPlain) options.push("--no-executor");
  const { GATEWAY_ADMIN_KEY: _, ...inherited } = process.env;
  const [command, args] = npm
    ? ["npm", ["run", "--silent", script, "--", ...options]]
    : [process.execPath, [path.join(checkout, "scripts", `${script}.mjs`), ...options]];
  const child = spawn(command, args, {
    cwd: checkout,
    // Excludes the skills in the real home folder, which a start would report.
    env: { ...inherited, HOME: path.dirname(place.state), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const run = new Run(place, child, env.GATEWAY_ADMIN_KEY);
  left.runs.add(run);
  return run;
}

/** Runs `npm run serve -- --init` for a state, and returns the admin key that it wrote. */
export async function initServed(place: Place): Promise<string> {
  const init = spawn(process.execPath, [path.join(root, "scripts", "serve.mjs"), "--state", place.state, "--init"]);
  const [code] = await once(init, "exit");
  if (code !== 0) throw new Error(`--init ended with ${code}`);
  return keyIn({ ...place, vars: path.join(place.state, "gateway.env") });
}

/** Starts `npm run serve` on a free port. Its origin is https://skills.example.org. */
export function serve(
  place: Place,
  { env = {}, args = [], checkout = root, looksForExecutor }: Omit<Options, "port" | "script" | "npm"> = {},
): Run {
  const { GATEWAY_ADMIN_KEY: _, ...inherited } = process.env;
  const options = ["--state", place.state, "--origin", "https://skills.example.org", "--port", "0", ...args];
  if (looksForExecutor !== true && !args.includes("--executor")) options.push("--no-executor");
  const child = spawn(process.execPath, [path.join(checkout, "scripts", "serve.mjs"), ...options], {
    cwd: checkout,
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const run = new Run(place, child);
  left.runs.add(run);
  return run;
}

/** Waits until a served gateway is ready. */
export async function readyServed(run: Run, key: string): Promise<Gateway> {
  const [, port] = await run.line(/"event":"ready".*"listens":"127\.0\.0\.1:(\d+)"/);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    key,
    fetch: (route, { key: other, ...init } = {}) =>
      fetch(new URL(route, url), { ...init, headers: { authorization: `Bearer ${other ?? key}`, ...init.headers } }),
  };
}

/** Starts a gateway for all tests of a file. */
export async function startShared(options: Options = {}): Promise<Gateway> {
  const place = await newPlace();
  const run = start(place, options);
  left.places.delete(place);
  left.runs.delete(run);
  shared.places.add(place);
  shared.runs.add(run);
  return run.ready();
}

async function keyIn(place: Place): Promise<string> {
  return parseEnv(await readFile(place.vars, "utf8")).GATEWAY_ADMIN_KEY ?? "";
}

export async function readLock(place: Place): Promise<Lock | null> {
  try {
    return JSON.parse(await readFile(path.join(place.state, "gateway.lock"), "utf8"));
  } catch {
    return null;
  }
}

/** Polls until `look` returns a value. For changes without an event, such as files and processes that are not our children. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
  // A start takes a minute when the machine is busy.
  ms = 120_000,
): Promise<T> {
  const deadline = Date.now() + ms;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`waited in vain: ${what}`);
}

/** Whether a process runs. Zombie processes still accept signals, so a signal cannot detect them. */
export function isAlive(pid: number): boolean {
  return processOf(pid) !== null;
}

/** Returns all processes that were started for this state. Linux only, as in the launcher. */
export function runtimesOf(place: Place): number[] {
  return markedProcesses(place.state).map(({ pid }: { pid: number }) => pid);
}

export function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {}
}
