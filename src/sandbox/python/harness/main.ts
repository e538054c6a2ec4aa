// Runs CPython in its isolate: writes the files, runs a script or a tool, and returns the result. This code protects nothing: skill code in
// the same isolate can modify it, so its output is checked outside.

import { WorkerEntrypoint } from "cloudflare:workers";
import { SCRIPT_FILES } from "../../../domain/code/script-limits";
import { CODE_LIMITS } from "../../../domain/limits";
import type { CodeResponse, SubRunResult } from "../../host";
import type { RunFile } from "../../isolate";
import { type Bridge, boot, type Interpreter, PYTHON_LIMITS } from "./interpreter";
import packaged from "./package.json";
import zip from "./package.zip";

/** The interface of the gateway's `Host`. */
interface HostSide {
  over(): Promise<void>;
  begin(): Promise<void>;
  /** Without bytes the file was deleted. */
  put(path: string, bytes: Uint8Array | null): Promise<unknown>;
  write(stream: "stdout" | "stderr", text: string): Promise<void>;
  emit(action: string, payload: string): Promise<{ error?: string }>;
  request(action: string, payload: string): Promise<{ value?: string; error?: string }>;
  log(text: string): Promise<unknown>;
  execute(ask: string, files: RunFile[]): Promise<{ value?: SubRunResult; error?: string }>;
  fetch(asked: object): Promise<{ value?: CodeResponse; error?: string }>;
}

interface Asked {
  kind: "script" | "describe" | "call";
  path: string;
  input?: string;
  ms: number;
  /** Set for a part of another run. */
  file?: string;
  cwd?: string;
  folders?: string[];
  gone?: string[];
  toldFiles?: number;
  isPart?: boolean;
}

const { parse, stringify } = JSON;
const WHEEL = /^(?:vendor|wheels)\/[^/]+\.whl$/;
const OVER = '{"over":true}';
const FLUSH = 50;

// The runtime's console writes to the operator's log, where output of scripts must not appear.
for (const name of ["debug", "error", "info", "log", "trace", "warn"] as const) console[name] = () => {};

let interpreter: Interpreter | null = null;
let busy: Promise<unknown> = Promise.resolve();
let host: HostSide | null = null;

const valueOrThrow = ({ value, error }: { value?: string; error?: string }): string => {
  if (error !== undefined) throw new Error(error);
  return value ?? "null";
};
const bridge: Bridge = {
  breathe: () => new Promise((resolve) => setTimeout(resolve, 0)),
  emit: async (action, payload) => valueOrThrow((await host?.emit(action, payload)) ?? {}),
  request: async (action, payload) => valueOrThrow((await host?.request(action, payload)) ?? {}),
  log: (text) => void host?.log(text).catch(() => {}),
  execute,
  fetch: async (ask, body) => {
    const { value, error } = (await host?.fetch({ ...parse(ask), body: body.length === 0 ? null : body })) ?? {
      error: "The call has ended.",
    };
    if (value === undefined)
      return { head: stringify({ error: error ?? "It cannot be sent." }), body: new Uint8Array() };
    const { body: content, ...head } = value;
    return { head: stringify(head), body: content };
  },
};

export default class extends WorkerEntrypoint {
  /** Runs one call at a time, because there is one interpreter. A call that has ended while waiting is not started. */
  run(text: string, mine: HostSide, files: RunFile[]): Promise<string> {
    let isOver = false;
    const ended = () => {
      isOver = true;
      if (host !== mine) return OVER;
      interpreter?.watch.kill();
      return stringify({ over: true, spent: true });
    };
    const over = mine.over().then(ended, ended);
    const work = busy.then(() => (isOver ? OVER : serve(text, mine, files)));
    // After an error outside Python the interpreter's state is undefined. The gateway replaces an isolate that throws.
    busy = work.catch(() => {
      host = interpreter = null;
    });
    return Promise.race([work, over]);
  }
}

/**
 * Runs a part of the call, which can change the files. An error of the host is returned the way a shell reports a command that cannot run.
 */
async function execute(ask: string): Promise<string> {
  const [mine, running] = [host, interpreter];
  if (mine === null || running === null) throw new Error("The call has ended.");
  const { files } = running;
  const state = { folders: [...files.folders()], gone: [...files.removed()] };
  const { value, error } = await mine.execute(stringify({ ...parse(ask), ...state }), [...files.changed()]);
  if (host !== mine) throw new Error("The call has ended.");
  if (value === undefined) return stringify({ error: error ?? "It cannot be run." });
  files.update(value.files, value.removed);
  const { exit, stdout, stderr } = value;
  return stringify({ exit, stdout, stderr });
}

async function serve(text: string, mine: HostSide, files: RunFile[]): Promise<string> {
  const asked: Asked = parse(text);
  host = mine;
  interpreter ??= await boot(bridge);
  const running = interpreter;
  const { watch } = running;
  const output = new Output(running, mine);
  running.streams.read = reader(asked.input ?? "");
  const paths = packaged.map(({ path }) => path);
  const gone = new Set(asked.gone);
  running.files.reset([...[...packageFiles()].filter(({ path }) => !gone.has(path)), ...files], asked.folders);
  const ask = {
    ...asked,
    path: asked.file ?? `${SCRIPT_FILES.skill}/${asked.path}`,
    root: SCRIPT_FILES.skill,
    module: asked.path.replace(/\.py$/, ""),
    cwd: asked.cwd ?? SCRIPT_FILES.workspace,
    wheels: paths.filter((path) => WHEEL.test(path)).map((path) => `${SCRIPT_FILES.skill}/${path}`),
  };
  running.listen();
  void mine.begin().catch(() => {});
  const killed = watch.begin(asked.ms);
  let answer: { exit?: number | null; spent?: boolean } | null = null;
  let isEnded = false;
  try {
    const answered = await Promise.race([running.run.callPromising(stringify(ask)), killed]);
    answer = typeof answered === "string" ? parse(answered) : null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const exited = /^Program terminated with exit\((-?\d+)\)/.exec(message); // os._exit()
    if (exited !== null) answer = { exit: Number(exited[1]) & 255, spent: true };
    else if (asked.kind === "script") output.add("stderr", `${message.slice(0, 2_000)}\n`);
    else answer = { exit: null };
    isEnded = true;
  } finally {
    watch.end();
    host = null;
  }
  const spent =
    answer === null ||
    isEnded ||
    answer.spent === true ||
    !running.files.hasStandardStreams() ||
    running.heapBytes() > PYTHON_LIMITS.spentBytes;
  if (spent) interpreter = null;
  if (asked.kind !== "script") return stringify({ ...(answer ?? { over: true }), spent });
  let left = answer === null ? 0 : (asked.toldFiles ?? SCRIPT_FILES.toldFiles);
  if (asked.isPart) for (const path of running.files.removed()) await mine.put(path, null);
  for (const { path, bytes } of running.files.changed()) if (left-- > 0) await mine.put(path, bytes);
  const exit = answer?.exit ?? (isEnded ? 1 : null);
  // A script that ignores the stop signal has timed out, whatever it returns.
  if (watch.isOver || exit === null) {
    await output.flush();
    return stringify({ over: true, spent });
  }
  return stringify({ ok: true, value: { exit, stdout: output.stdout, stderr: output.stderr, spent } });
}

function* packageFiles(): Generator<RunFile> {
  for (const { path, offset, size } of packaged)
    yield { path: `${SCRIPT_FILES.skill}/${path}`, bytes: new Uint8Array(zip, offset, size) };
}

function reader(text: string): (into: Uint8Array) => number {
  let input = new TextEncoder().encode(text);
  return (into) => {
    const count = Math.min(into.length, input.length);
    into.set(input.subarray(0, count));
    input = input.subarray(count);
    return count;
  };
}

/** Collects output and sends it to the host periodically, so that it is not lost with the isolate. */
class Output {
  stdout = "";
  stderr = "";
  readonly #host: HostSide;
  readonly #told = { stdout: 0, stderr: 0 };
  #at = Date.now();

  constructor({ streams }: Interpreter, host: HostSide) {
    this.#host = host;
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    streams.write = (name, bytes) => {
      this.add(name, decoders[name].decode(bytes, { stream: true }));
      return bytes.length;
    };
  }

  add(name: "stdout" | "stderr", text: string): void {
    if (this[name].length <= CODE_LIMITS.outputChars)
      this[name] = (this[name] + text).slice(0, CODE_LIMITS.outputChars + 1);
    if (Date.now() - this.#at >= FLUSH) void this.flush();
  }

  async flush(): Promise<void> {
    this.#at = Date.now();
    const telling: Promise<void>[] = [];
    for (const each of ["stdout", "stderr"] as const) {
      const fresh = this[each].slice(this.#told[each]);
      this.#told[each] = this[each].length;
      if (fresh !== "") telling.push(this.#host.write(each, fresh));
    }
    // The host no longer receives messages.
    await Promise.all(telling).catch(() => {});
  }
}
