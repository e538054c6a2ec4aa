// Source of the harness around a skill's code in its isolate. It protects nothing: skill code in the same isolate can modify it, so its
// output is checked outside. It saves the built-ins it uses before any skill code runs.

import { DURATIONS } from "../domain/durations";
import { CODE_LIMITS } from "../domain/limits";
import { TICK_MODULE } from "./tick";

export const HARNESS_MODULE = "gateway/harness.js";
/** Imports the module to run. Generated for each isolate. */
export const ENTRY_MODULE = "gateway/entry.js";

/** `ticking`: whether modules are instrumented. */
export function harnessSource(ticking: boolean): string {
  return `${ticking ? `import { reset } from ${JSON.stringify(`../${TICK_MODULE}`)};` : "const reset = () => {};"}${SOURCE}`;
}

const SOURCE = `
import { WorkerEntrypoint } from "cloudflare:workers";
import { AsyncLocalStorage } from "node:async_hooks";
import { entry } from "./entry.js";

const { stringify, parse } = JSON;
const { freeze } = Object;
const { isArray } = Array;
const { Promise, Set } = globalThis;
const later = setTimeout;
const runs = new AsyncLocalStorage();
const CALLS = ${CODE_LIMITS.hostCalls}, LINES = ${CODE_LIMITS.logLines}, FLUSH_MS = ${DURATIONS.heard};

export default class extends WorkerEntrypoint {
  /** Returns the result as JSON text. Resolves when the work ends, or when the host ends the run. */
  run(ask, host) {
    reset();
    void host.begin().catch(() => {});
    return new Promise((resolve) => {
      const run = { host, calls: 0, lines: 0, pending: new Set() };
      const end = async (text) => { reset(); await flushed(run); resolve(text); };
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
  /** Returns each tool with its name, description and schema, or with the reason why it cannot be used. */
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

const waitOf = (how) => {
  if (typeof how !== "object" || how === null) return [how];
  const { timeout_ms, require_client, answer_schema } = how;
  return [timeout_ms, require_client, answer_schema === undefined ? undefined : stringify(answer_schema) ?? "null"];
};
/** Returns the context of a provider. The host counts calls too and ends the run if there are too many; this limit stops a flood of calls early. */
function contextOf(ask, run) {
  const asking = (method) => {
    if (ask.kind === "describe") throw new Error(method + "() cannot be used while a tool is being described.");
    return hostOf(run);
  };
  return freeze({
    ...ask.context,
    config: freeze(ask.config),
    env: freeze({ ...ask.env }),
    readFile: async (path, encoding) => unwrap(await asking("readFile").readFile(path, encoding)),
    // Lines above the limit are not sent, so that a tool with many log lines does not exceed the limit of calls.
    log: (...values) => { if (run.lines++ < LINES) void send(run, asking("log").log(format(values))); },
    emit: (action, payload) => send(run, asking("emit").emit(action, stringify(payload ?? null))),
    request: async (action, payload, how) => parse(unwrap(await asking("request").request(action, stringify(payload ?? null), ...waitOf(how)))),
  });
}

/** Sends something to the host. The returned promise rejects if the host refuses; code that does not await it is not affected. */
function send(run, sent) {
  const taken = sent.then((answer) => { unwrap(answer); });
  const settled = taken.catch(() => {}).then(() => { run.pending.delete(settled); });
  run.pending.add(settled);
  return taken;
}

/** Waits until the host has received everything sent so far, because the result ends pending sends. The host receives it at once. */
async function flushed(run) {
  if (run.pending.size === 0) return;
  await Promise.race([Promise.all(run.pending), new Promise((resolve) => { later(resolve, FLUSH_MS); })]);
}

function unwrap({ value, error }) {
  if (error !== undefined) throw new Error(error);
  return value;
}

function hostOf(run) {
  if (++run.calls > CALLS + 1) throw new Error("it called the gateway more than " + CALLS + " times");
  return run.host;
}

/** Returns a value as JSON. Throws for functions, cycles, and values that throw when they are read. */
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

// Requests go through the gateway, which sends them to approved hosts only.
const { Request, Response, TypeError } = globalThis;
globalThis.fetch = async (input, init) => {
  const run = runs.getStore();
  if (run === undefined) throw new TypeError("fetch failed: there is no network while a module is evaluated");
  const request = new Request(input, init);
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const headers = [...request.headers].filter(([name]) => name !== "accept-encoding");
  const { value, error } = await hostOf(run).fetch({ url: request.url, method: request.method, headers, body });
  request.signal?.throwIfAborted();
  if (error !== undefined) throw new TypeError("fetch failed: " + error);
  const { status, statusText } = value;
  const response = new Response([101, 204, 205, 304].includes(status) ? null : value.body, { status, statusText, headers: value.headers });
  Object.defineProperty(response, "url", { value: value.url });
  return response;
};

const nothing = () => {};
const logLine = (...values) => {
  const run = runs.getStore();
  if (run === undefined || run.lines++ >= LINES) return;
  // While a module is evaluated there is no host.
  try { void send(run, hostOf(run).log(format(values))); } catch {}
};
globalThis.console = {
  log: logLine, info: logLine, debug: logLine, dir: logLine, table: logLine, warn: logLine, error: logLine, trace: logLine, group: logLine,
  assert: (good, ...values) => { if (!good) console.error("Assertion failed:", ...values); },
  groupEnd: nothing, time: nothing, timeEnd: nothing, count: nothing, clear: nothing,
};
// The runtime would write unhandled rejections to the operator's log.
addEventListener("unhandledrejection", (event) => { event.preventDefault(); });
`;
