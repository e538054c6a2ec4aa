// Implements the Worker Loader of a local gateway: passes every call to the process that runs skill code. Runs in the gateway's Worker.

import { RpcTarget } from "cloudflare:workers";

/** Milliseconds for which a call waits for a process that is starting. */
const PATIENCE = 60_000;
const PAUSE = 50;
/** Modules of this size are sent once per process and kept there: Python has 20 MB of them. */
const LARGE = 1024 * 1024;

/** Messages without a full stop, because they continue a sentence. */
const RESTARTED =
  "The process that runs skill code was restarted, because a script blocked it or used too much memory. Run it again; if it fails again, " +
  "look for a loop that does not end";
const ABSENT = `The process that runs skill code does not start (waited ${PATIENCE / 1_000} s). Read the output of npm start`;

const wrapped = new WeakMap();

/** Returns the bindings of the gateway, with a loader that uses the other process. */
export function withRunner(env) {
  const known = wrapped.get(env);
  if (known !== undefined) return known;
  const { RUNNER, RUNNER_KEY, ...bindings } = env;
  const made = { ...bindings, LOADER: new RemoteLoader(RUNNER, RUNNER_KEY) };
  wrapped.set(env, made);
  return made;
}

class RemoteLoader {
  #runner;
  #key;

  constructor(runner, key) {
    this.#runner = runner;
    this.#key = key;
  }

  get(name, load) {
    return this.#isolate(name, load);
  }

  load(code) {
    return this.#isolate(null, () => code);
  }

  #isolate(name, load) {
    const getEntrypoint = (entrypoint, options) =>
      new Proxy(
        {},
        {
          // A proxy that has `then` would be taken for a promise.
          get: (_, method) =>
            typeof method === "string" && method !== "then"
              ? (...values) => this.#call({ name, entrypoint, options, method }, load, values)
              : undefined,
        },
      );
    return { getEntrypoint };
  }

  /** A call that the process has not started is sent again when the process is back. */
  async #call(target, load, values) {
    const began = Date.now();
    for (;;) {
      const source = new Source(load);
      try {
        return await this.#runner.call(this.#key, target, source, values);
      } catch (error) {
        if (!isLost(error)) throw error;
        if (source.isStarted) throw new Error(RESTARTED, { cause: error });
        if (Date.now() - began > PATIENCE) throw new Error(ABSENT, { cause: error });
      }
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE);
      });
    }
  }
}

/** Whether the connection to the process could not be made or was lost. Errors of the process itself are marked `remote`. */
const isLost = (error) => error?.retryable === true && error.remote !== true;

/** Ids of large modules. A module that is used again is the same buffer. */
const ids = new WeakMap();
let made = 0;
/** Distinguishes these ids from those of an earlier gateway. Random values are not available while a module is loaded. */
let run;

/** What the process can request during a call. */
class Source extends RpcTarget {
  isStarted = false;
  #load;
  #parts = new Map();

  constructor(load) {
    super();
    this.#load = load;
  }

  started() {
    this.isStarted = true;
  }

  /** Returns the code of the isolate, with the ids of large modules in place of their bytes. */
  async load() {
    const code = await this.#load();
    return { ...code, modules: Object.fromEntries(Object.entries(code.modules).map((one) => this.#small(one))) };
  }

  part(id) {
    return this.#parts.get(id);
  }

  /** @param {[string, string | object]} entry a module is its source, or an object with its kind */
  #small([name, module]) {
    const [kind, bytes] = ["wasm", "data"].map((each) => [each, module[each]]).find((each) => each[1]) ?? [];
    if (!(bytes instanceof ArrayBuffer) || bytes.byteLength < LARGE) return [name, module];
    let id = ids.get(bytes);
    if (id === undefined) {
      run ??= crypto.randomUUID();
      id = `${run}.${made++}`;
      ids.set(bytes, id);
    }
    this.#parts.set(id, bytes);
    return [name, { kind, part: id }];
  }
}
