// Runs the Node scripts of one package in an isolate of the Worker Loader. This code protects nothing: skill code in the same isolate can
// modify it, so its output is checked outside. It also implements the Node modules that workerd provides as stubs.

import { WorkerEntrypoint } from "cloudflare:workers";
import { format, inspect } from "node:util";
import { makeConsole } from "./console.js";
import { isChanged, makeFiles } from "./files.js";
import { currentRun, during, enter, idle, keepGlobals, leave, queueTask, timers, watchUntracked } from "./loop.js";
import { makeModules } from "./modules.js";
import { fetchOf } from "./network.js";
import { isPristine, keepLanguage } from "./pristine.js";
import { makeProcess } from "./process.js";

/** Called once per isolate, with the package, its functions and the limits. */
export function harness({ zip, files, functions, load, reset, limits }) {
  installGlobals();
  return class extends WorkerEntrypoint {
    /** Returns JSON text. Resolves when the work ends or when the host ends the call. */
    run(ask, host, given) {
      reset();
      return new Promise((resolve) => {
        const asked = parse(ask);
        const run = makeRun({ asked, host, limits });
        let isAnswered = false;
        const answer = (text) => {
          if (!isAnswered) resolve(isPristine() ? text : `${text.slice(0, -1)},"spent":true}`);
          isAnswered = true;
        };
        const over = () => answer('{"over":true}');
        host.over().then(over, over);
        void enter(run, async () => {
          try {
            const volume = makeFiles({ zip, files, given, limits, run });
            run.process = makeProcess({ asked, run, fs: volume.fs });
            run.console = makeConsole(run);
            await host.begin();
            const modules = makeModules({ run, fs: volume.fs, functions, load });
            evaluate(run, asked, modules).catch(run.fail);
            const exit = await run.ended;
            await putFiles(run, volume);
            reset();
            await flushMessages(run);
            answer(stringify({ ok: true, value: { exit, stdout: run.out.stdout, stderr: run.out.stderr } }));
          } catch (error) {
            answer(stringify({ ok: false, message: wordsOf(error) }));
          } finally {
            leave(run);
          }
        });
      });
    }
  };
}

/** Saved, because a script can replace them. */
const { parse, stringify } = JSON;

const EXIT = Object.freeze({ name: "Exit" });

function makeRun({ asked, host, limits }) {
  const { promise, resolve } = Promise.withResolvers();
  const run = { host, limits, asked, pending: 0, timers: new Map(), over: false, ended: promise, exitSignal: EXIT };
  Object.assign(run, {
    out: { stdout: "", stderr: "" },
    sent: { stdout: 0, stderr: 0 },
    due: false,
    calls: 0,
    lines: 0,
  });
  run.telling = new Set();
  run.write = (name, text) => writeOutput(run, name, text);
  run.end = (code) => {
    if (run.over) return;
    let exit = code;
    try {
      run.process.emit("exit", code);
      exit = run.process.exitCode ?? code;
    } catch (error) {
      if (error !== EXIT) {
        run.write("stderr", `${wordsOf(error)}\n`);
        exit = 7;
      }
    }
    run.over = true;
    leave(run);
    resolve(Number(exit));
  };
  run.fail = (error, event = "uncaughtException") => {
    if (run.over || error === EXIT) return;
    try {
      if (event === "unhandledRejection" && run.process.emit(event, error, Promise.resolve())) return;
      if (run.process.emit("uncaughtException", error, event)) return;
    } catch (thrown) {
      if (thrown === EXIT) return;
      run.write("stderr", `${wordsOf(thrown)}\n`);
    }
    run.write("stderr", `${wordsOf(error)}\n`);
    run.process.exitCode = undefined;
    run.end(1);
  };
  return run;
}

async function evaluate(run, asked, modules) {
  const main = modules.main(asked.file ?? `${run.limits.skill}/${asked.path}`);
  let settled = false;
  const done = main.then(async (exported) => {
    if (typeof exported === "function") await callMain(run, asked, exported);
    settled = true;
  });
  // The module may wait for something that never happens.
  await Promise.race([done, idleForEver(run, () => settled)]);
  if (!settled) {
    if (run.over) return;
    run.write("stderr", "Warning: Detected unsettled top-level await\n");
    run.process.exitCode ??= 13;
    return run.end(run.process.exitCode);
  }
  do {
    await idle(run);
    if (!run.over) run.process.emit("beforeExit", run.process.exitCode ?? 0);
  } while (run.pending > 0 && !run.over);
  run.end(run.process.exitCode ?? 0);
}

async function idleForEver(run, isSettled) {
  await idle(run, true);
  // After the module has settled, this promise must not decide the race.
  if (isSettled()) await new Promise(() => {});
}

/** Calls the script's default export with the context that a tool receives. */
async function callMain(run, asked, main) {
  const value = await main({ ...contextOf(run, asked), args: asked.args, input: asked.input });
  if (typeof value === "number") run.process.exitCode = value;
  else if (value !== undefined && value !== null)
    run.write("stdout", `${typeof value === "string" ? value : stringify(value, null, 2)}\n`);
}

function contextOf(run, asked) {
  const { calls, logLines } = run.limits;
  const host = () => {
    if (++run.calls > calls + 1) throw new Error(`it called the gateway more than ${calls} times`);
    return run.host;
  };
  const asks = (work) => during(run, work());
  const tell = (sent) => {
    const taken = during(
      run,
      sent.then(unwrap).then(() => {}),
    );
    const settled = taken
      .catch(() => {})
      .then(() => {
        run.telling.delete(settled);
      });
    run.telling.add(settled);
    // A caller that awaits the promise receives the error. Otherwise the error is ignored.
    taken.catch(() => {});
    return taken;
  };
  return Object.freeze({
    ...asked.context,
    config: Object.freeze(asked.config),
    env: Object.freeze({ ...asked.env }),
    readFile: (path, encoding) => asks(async () => unwrap(await host().readFile(path, encoding))),
    log: (...values) => {
      if (run.lines++ < logLines) void tell(host().log(format(...values)));
    },
    emit: (action, payload) => tell(host().emit(action, stringify(payload ?? null))),
    request: (action, payload, how) =>
      asks(async () => {
        return parse(unwrap(await host().request(action, stringify(payload ?? null), ...waitOf(how))));
      }),
  });
}

function waitOf(how) {
  if (typeof how !== "object" || how === null) return [how];
  const { timeout_ms, require_client, answer_schema } = how;
  return [timeout_ms, require_client, answer_schema === undefined ? undefined : (stringify(answer_schema) ?? "null")];
}

function unwrap({ value, error }) {
  if (error !== undefined) throw new Error(error);
  return value;
}

/** Waits until the host has received all messages, because the response ends pending ones. */
async function flushMessages(run) {
  if (run.telling.size > 0) await Promise.race([Promise.all(run.telling), sleep(run.limits.heardMs)]);
}

const laterOf = setTimeout;
const sleep = (ms) =>
  new Promise((resolve) => {
    laterOf(resolve, ms);
  });

/** Sends new and changed files in the order of the folders, up to the limit of the host. */
async function putFiles(run, volume) {
  let left = run.asked.toldFiles ?? run.limits.toldFiles;
  const written = volume.written();
  if (run.asked.isPart)
    for (const path of volume.original.keys())
      if (!written.has(path) && path !== "/dev/stdin") unwrap(await run.host.put(path, null));
  for (const [path, bytes] of written) {
    if (left === 0) return;
    if (!isChanged(volume, path, bytes)) continue;
    // The host rejects names that are not valid in an archive. Other files are still returned.
    await run.host.put(path, bytes);
    left--;
  }
}

/** Collects output and sends it to the host periodically, so that it is not lost if the run is killed. */
function writeOutput(run, name, text) {
  if (run.over) return;
  run.out[name] = (run.out[name] + text).slice(0, run.limits.outputChars + 1);
  if (run.due) return;
  run.due = true;
  laterOf(() => {
    run.due = false;
    if (run.over) return;
    for (const stream of ["stdout", "stderr"]) {
      const fresh = run.out[stream].slice(run.sent[stream]);
      run.sent[stream] = run.out[stream].length;
      if (fresh !== "") void run.host.write(stream, fresh).catch(() => {});
    }
  }, 50);
}

function wordsOf(error) {
  try {
    if (error instanceof Error && typeof error.stack === "string") return error.stack.slice(0, 20_000);
    return `Uncaught ${inspect(error)}`.slice(0, 20_000);
  } catch {
    return "Uncaught a value that cannot be shown";
  }
}

/** Called once per isolate. Makes global names refer to the current run. */
function installGlobals() {
  Object.assign(globalThis, timers, { queueMicrotask: queueTask, global: globalThis });
  const own = (name, of) =>
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => of(currentRun()),
      set: (value) => {
        const run = currentRun();
        if (run !== undefined) run[name] = value;
      },
    });
  own("process", (run) => run?.process);
  own("console", (run) => run?.console ?? silent);
  globalThis.reportError = (error) => currentRun()?.fail(error);
  const { fetch } = globalThis;
  globalThis.fetch = (input, init) => {
    const run = currentRun();
    return run === undefined ? fetch(input, init) : fetchOf(run, input, init);
  };
  // Also after a run has ended: the runtime writes unhandled rejections to the operator's log.
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    currentRun()?.fail(event.reason, "unhandledRejection");
  });
  addEventListener("error", (event) => {
    event.preventDefault();
    currentRun()?.fail(event.error);
  });
  watchUntracked();
  keepGlobals();
  keepLanguage();
}

const silent = new Proxy({}, { get: () => () => {} });
