// The part of the harness that runs scripts: their process, and when they are over.

export const SCRIPT_SOURCE = `
async function evaluate(ask, run) {
  const { default: script } = await import(entry);
  const main = await script();
  if (typeof main === "function") {
    const value = await main({ ...contextOf(ask, run), args: ask.args, input: ask.input });
    if (typeof value === "number") run.process.exitCode = value;
    else if (value !== undefined && value !== null) write(run, "stdout", (typeof value === "string" ? value : stringify(value, null, 2)) + "\\n");
  }
  do {
    await idle(run);
    if (!run.over) run.process.emit("beforeExit", run.process.exitCode ?? 0);
  } while (run.pending > 0 && !run.over);
  run.end(run.process.exitCode ?? 0);
}

function writeError(run, error) {
  write(run, "stderr", (error instanceof Error && typeof error.stack === "string" ? error.stack : messageOf(error)) + "\\n");
}

function makeProcess(ask, run) {
  const listeners = { data: [], end: [] };
  const heard = new Map();
  const stdin = {
    setEncoding: () => stdin,
    on: (event, listener) => {
      listeners[event]?.push(callbackOf(run, listener));
      if (event === "end") {
        const done = begin(run);
        later(() => { for (const l of listeners.data) l(ask.input); for (const l of listeners.end) l(); done(); }, 0);
      }
      return stdin;
    },
    async *[Symbol.asyncIterator]() { if (ask.input !== "") yield ask.input; },
  };
  const stream = (name) => ({ isTTY: false, write: (text) => { write(run, name, String(text)); return true; } });
  const process = {
    argv: ["node", ask.context.scriptPath, ...ask.args],
    env: {},
    exitCode: undefined,
    stdin,
    stdout: stream("stdout"),
    stderr: stream("stderr"),
    cwd: () => "/",
    on: (event, listener) => { heard.set(event, [...(heard.get(event) ?? []), listener]); return process; },
    off: (event, listener) => { heard.set(event, (heard.get(event) ?? []).filter((one) => one !== listener)); return process; },
    once: (event, listener) => { const first = (...args) => { process.off(event, first); listener(...args); }; return process.on(event, first); },
    emit: (event, ...args) => { const all = heard.get(event) ?? []; for (const listener of all) listener(...args); return all.length > 0; },
    exit: (code) => {
      if (code !== undefined) process.exitCode = code;
      run.end(process.exitCode ?? 0);
      throw EXIT;
    },
  };
  return process;
}

const EXIT = freeze({ name: "Exit" });

function outcomeOf(run) {
  return { exit: Number(run.exit), stdout: run.out.stdout, stderr: run.out.stderr };
}
`;
