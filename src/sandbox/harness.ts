// What stands around a skill's code inside its isolate. Nothing here is a secret or a guard: code in the same isolate could bend
// it, so whatever comes out of it is judged outside. It keeps what it uses of the language before any skill code is there.

import { DURATIONS } from "../domain/durations";
import { CODE_LIMITS } from "../domain/limits";
import { LOOP_MODULE } from "./event-loop";
import { SCRIPT_SOURCE } from "./script-harness";
import { TICK_MODULE } from "./tick";

export const HARNESS_MODULE = "gateway/harness.js";
/** Says which module is run; made for each isolate. */
export const ENTRY_MODULE = "gateway/entry.js";

/** `ticking`: whether modules are instrumented. */
export function harnessSource(ticking: boolean): string {
  return `${ticking ? `import { reset } from ${JSON.stringify(`../${TICK_MODULE}`)};` : "const reset = () => {};"}${SOURCE}${SCRIPT_SOURCE}`;
}

const SOURCE = `
import { WorkerEntrypoint } from "cloudflare:workers";
import { begin, endTimers, callbackOf, idle, later, runs, during } from ${JSON.stringify(`../${LOOP_MODULE}`)};
import { entry } from "./entry.js";

const { stringify, parse } = JSON;
const { assign, freeze, defineProperty } = Object;
const { isArray } = Array;
const { Map, Promise, Set } = globalThis;
const OUTPUT = ${CODE_LIMITS.outputChars}, CALLS = ${CODE_LIMITS.hostCalls}, LINES = ${CODE_LIMITS.logLines}, HEARD = ${DURATIONS.heard};

export default class extends WorkerEntrypoint {
  /** Answers JSON text. It ends when the work does, or when the host says that it is over. */
  run(ask, host) {
    reset();
    void host.begin().catch(() => {});
    return new Promise((resolve) => {
      const run = { host, calls: 0, lines: 0, telling: new Set(), out: { stdout: "", stderr: "" }, sent: { stdout: 0, stderr: 0 }, due: false, done: false };
      run.finish = async (text) => { await heard(run); run.done = true; resolve(text); };
      const end = (text) => { reset(); return run.finish(text); };
      host.over().then(() => resolve('{"over":true}'), () => resolve('{"over":true}'));
      runs.run(run, async () => {
        try {
          const asked = parse(ask);
          await end(stringify({ ok: true, value: (await WORK[asked.kind](asked, run)) ?? null }));
        } catch (error) {
          try { await end(failure(error, run)); } catch { resolve('{"ok":false,"message":"The code failed with a value that cannot be shown."}'); }
        }
      });
    });
  }
}

const WORK = {
  /** What the tools are: each by its name with its description and schema, or with the reason why it is not one. */
  async describe(ask, run) {
    const provider = await makeProvider(ask);
    const tools = [];
    for (const tool of ask.tools) {
      try {
        const { description, inputSchema } = await makeTool(provider, tool, contextOf(ask, run));
        tools.push({ name: tool.name, description, inputSchema });
      } catch (error) {
        tools.push({ name: tool.name, problem: messageOf(error) });
      }
    }
    return tools;
  },

  async call(ask, run) {
    const provider = await makeProvider(ask);
    const tool = await makeTool(provider, ask.tool, contextOf(ask, run));
    return jsonOf(await tool.call(ask.arguments));
  },

  /** Ends with what comes first: that nothing of it waits, process.exit, or an error that nobody catches. */
  async script(ask, run) {
    const { promise, resolve } = Promise.withResolvers();
    assign(run, { pending: 0, timers: new Map(), over: false, exit: null });
    run.process = makeProcess(ask, run);
    run.end = (code) => {
      if (run.over) return;
      run.exit = code;
      try { run.process.emit("exit", code); run.exit = run.process.exitCode ?? code; } catch (error) { if (error !== EXIT) writeError(run, error); }
      run.over = true;
      endTimers(run);
      resolve(outcomeOf(run));
    };
    run.fail = (error, event = "uncaughtException") => {
      if (run.over || error === EXIT) return;
      for (const name of [event, "uncaughtException"]) if (run.process.emit(name, error)) return;
      writeError(run, error);
      run.process.exitCode = undefined;
      run.end(1);
    };
    evaluate(ask, run).catch(run.fail);
    return promise;
  },
};

async function makeProvider(ask) {
  const { [ask.class]: Provider } = await import(entry);
  if (typeof Provider !== "function") throw new TypeError("The module exports no class '" + ask.class + "'.");
  const provider = new Provider();
  return { provider, name: provider.providerName, supported: provider.supportedTools };
}

async function makeTool({ provider, name, supported }, tool, context) {
  if (typeof tool.provider === "string" && name !== tool.provider) {
    throw new TypeError("The tool wants the provider '" + tool.provider + "', and the class calls itself '" + String(name) + "'.");
  }
  if (!isArray(supported) || !supported.includes(tool.name)) throw new TypeError("The class's supportedTools does not list '" + tool.name + "'.");
  const made = await provider.createTool(tool.name, context, tool.config);
  if (typeof made?.call !== "function") throw new TypeError("createTool made no tool: it has no call().");
  return made;
}

const waitOf = (how) => (typeof how === "object" && how !== null ? [how.timeout_ms, how.require_client] : [how]);
/** What a provider gets. The host counts calls too, and ends who makes too many; a flood of them ends here. */
function contextOf(ask, run) {
  const asking = (method) => {
    if (ask.kind === "describe") throw new Error(method + "() cannot be used while a tool is being described.");
    return hostOf(run);
  };
  const asked = (promise) => (run.pending === undefined ? promise : during(run, promise));
  return freeze({
    ...ask.context,
    config: freeze(ask.config),
    readFile: (path, encoding) => asked((async () => told(await asking("readFile").readFile(path, encoding)))()),
    // What nobody keeps is not sent: a talkative tool must not be ended for calling the gateway too often.
    log: (...values) => { if (run.lines++ < LINES) void tell(run, asking("log").log(format(values))); },
    emit: (action, payload) => tell(run, asking("emit").emit(action, stringify(payload ?? null))),
    request: (action, payload, how) => asked((async () => parse(told(await asking("request").request(action, stringify(payload ?? null), ...waitOf(how)))))()),
  });
}

/** Tells the host something that code need not wait for. Who does wait hears of a refusal; who does not is not bothered with it. */
function tell(run, sent) {
  const taken = sent.then((answer) => { told(answer); });
  const settled = taken.catch(() => {}).then(() => { run.telling.delete(settled); });
  run.telling.add(settled);
  return taken;
}

/** Waits until the host has heard what it was told so far, since the answer ends what is still on its way. The host takes it at once. */
async function heard(run) {
  if (run.telling.size === 0) return;
  await Promise.race([Promise.all(run.telling), new Promise((resolve) => { later(resolve, HEARD); })]);
}

function told({ value, error }) {
  if (error !== undefined) throw new Error(error);
  return value;
}

function hostOf(run) {
  if (++run.calls > CALLS + 1) throw new Error("it called the gateway more than " + CALLS + " times");
  return run.host;
}

/** Collects output, and tells the host from time to time, so that it is not lost when the run is killed. */
function write(run, name, text) {
  if (run.over) return;
  run.out[name] = (run.out[name] + text).slice(0, OUTPUT + 1);
  if (run.due || run.process === undefined) return;
  // While a module is evaluated there are no timers; what it writes is told later.
  try { later(() => { run.due = false; flush(run); }, 50); run.due = true; } catch {}
}

function flush(run) {
  if (run.done) return;
  for (const name of ["stdout", "stderr"]) {
    const fresh = run.out[name].slice(run.sent[name]);
    if (fresh === "") continue;
    run.sent[name] = run.out[name].length;
    void run.host.write(name, fresh).catch(() => {});
  }
}

/** A value as JSON has it. Functions, cycles and whatever throws when it is looked at do not pass. */
function jsonOf(value) {
  const text = stringify(value);
  if (text === undefined && value !== undefined) throw new TypeError("It answered a " + typeof value + ", which is no JSON.");
  return text === undefined ? null : parse(text);
}

function failure(error, run) {
  return stringify({ ok: false, message: messageOf(error) });
}

function messageOf(error) {
  try {
    const text = error instanceof Error ? (error.name === "Error" ? "" : error.name + ": ") + error.message : typeof error === "string" ? error : stringify(error);
    return String(text).slice(0, 2_000);
  } catch {
    return "a value that cannot be shown";
  }
}

function format(values) {
  return values.map((value) => {
    if (typeof value === "string") return value;
    if (value instanceof Error) return String(value.stack ?? value.message);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  }).join(" ");
}

const say = (name) => (...values) => {
  const run = runs.getStore();
  if (run === undefined) return;
  if (run.process !== undefined) write(run, name, format(values) + "\\n");
  else if (run.lines++ < LINES) {
    // While a module is evaluated there is no host either.
    try { void tell(run, hostOf(run).log(format(values))); } catch {}
  }
};
const nothing = () => {};
globalThis.console = {
  log: say("stdout"), info: say("stdout"), debug: say("stdout"), dir: say("stdout"), table: say("stdout"),
  warn: say("stderr"), error: say("stderr"), trace: say("stderr"),
  assert: (good, ...values) => { if (!good) console.error("Assertion failed:", ...values); },
  group: say("stdout"), groupEnd: nothing, time: nothing, timeEnd: nothing, count: nothing, clear: nothing,
};
defineProperty(globalThis, "process", { get: () => runs.getStore()?.process });
`;
