// Tracks the pending work of a script. As in Node, the script ends when none is left. Runs are distinguished by their async context.

import { AsyncLocalStorage } from "node:async_hooks";

/** The runtime's own timers, which do not keep a script alive. */
export const later = setTimeout;
const cancel = clearTimeout;
const every = setInterval;
const soon = queueMicrotask;
/** The number of consecutive idle turns of the event loop after which a script has ended. */
const IDLE_TURNS = 3;
/** The number of idle turns before an unsettled module is given up. */
const PATIENT_TURNS = 20;
/** Saved before a script can replace them. */
const { Response } = globalThis;
const { text: read } = Response.prototype;

/** Globals with asynchronous work that is not tracked. A script that uses one gets turns of timers, in which such work proceeds. */
const UNTRACKED =
  `AbortSignal Blob BroadcastChannel CompressionStream DecompressionStream EventSource File FormData HTMLRewriter MessageChannel
  ReadableStream Request Response TextDecoderStream TextEncoderStream TransformStream WebAssembly WebSocket WritableStream caches crypto
  scheduler`.split(/\s+/);

const runs = new AsyncLocalStorage();
/** Runs in progress, for callbacks without a context. */
const active = new Set();

/** The global names that exist before any script runs. */
let before = new Set();

export function keepGlobals() {
  before = new Set(Reflect.ownKeys(globalThis));
}

/** Returns the run that the current code belongs to. */
export function currentRun() {
  const run = runs.getStore();
  if (run !== undefined) return run;
  return active.size === 1 ? [...active][0] : undefined;
}

export function enter(run, work) {
  active.add(run);
  return runs.run(run, work);
}

export function leave(run) {
  active.delete(run);
  // Globals of a script are removed when no run is active.
  if (active.size === 0)
    for (const name of Reflect.ownKeys(globalThis)) if (!before.has(name)) Reflect.deleteProperty(globalThis, name);
  for (const timer of run.timers.values()) timer.close();
}

/** Called once per isolate. Notes which runs use a global with untracked work. */
export function watchUntracked() {
  for (const name of UNTRACKED) {
    const value = globalThis[name];
    if (value === undefined) continue;
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        noteUntracked(currentRun());
        return value;
      },
      set: (other) =>
        Object.defineProperty(globalThis, name, { configurable: true, enumerable: true, writable: true, value: other }),
    });
  }
}

export function noteUntracked(run) {
  if (run !== undefined) run.hasUntracked = true;
}

/** Counts pending work of the run until the returned function is called. */
export function begin(run) {
  run.pending++;
  let open = true;
  return () => {
    if (open) run.pending--;
    open = false;
  };
}

/** Counts a promise as pending work of the run, and returns it unchanged. */
export function during(run, promise) {
  const end = begin(run);
  promise.then(end, end);
  return promise;
}

/** Resolves when the run is idle or has ended. `isPatient`: its main module has not settled. */
export async function idle(run, isPatient = false) {
  for (let turns = 0; turns < (isPatient ? PATIENT_TURNS : IDLE_TURNS) && !run.over; ) {
    // A timer of 0 ms takes a millisecond or two. Reading a body in memory is a turn of the event loop, too, and takes 0.1 ms.
    if (isPatient || run.hasUntracked || run.pending > 0)
      await new Promise((resolve) => {
        later(resolve, 0);
      });
    else await read.call(new Response("x"));
    turns = run.pending === 0 ? turns + 1 : 0;
  }
}

/** Wraps a callback of a run: an exception ends the run, not the isolate. */
export const callbackOf = (run, callback) =>
  function (...args) {
    if (run.over) return;
    try {
      return callback.apply(this, args);
    } catch (error) {
      run.fail(error);
    }
  };

class Timeout {
  #run;
  #set;
  #callback;
  #ms;
  #number;
  #end = null;
  #counts = true;

  constructor(run, set, callback, ms, args) {
    this.#run = run;
    this.#set = set;
    this.#ms = ms;
    const call = callbackOf(run, callback);
    this.#callback = () => {
      if (set === later) this.#forget();
      call(...args);
    };
    this.#start();
  }

  #start() {
    const set = this.#set;
    this.#number = set(this.#callback, this.#ms);
    if (typeof this.#number === "object") this.#number = Number(this.#number);
    this.#run.timers.set(this.#number, this);
    if (this.#counts) this.#end = begin(this.#run);
  }

  #forget() {
    this.#run.timers.delete(this.#number);
    this.#end?.();
    this.#end = null;
  }

  close() {
    cancel(this.#number);
    this.#forget();
    return this;
  }

  ref() {
    if (!this.#counts && this.#run.timers.get(this.#number) === this) this.#end = begin(this.#run);
    this.#counts = true;
    return this;
  }

  unref() {
    this.#counts = false;
    this.#end?.();
    this.#end = null;
    return this;
  }

  hasRef() {
    return this.#counts;
  }

  refresh() {
    this.close();
    this.#start();
    return this;
  }

  [Symbol.toPrimitive]() {
    return this.#number;
  }

  [Symbol.dispose]() {
    this.close();
  }
}

const timed =
  (set) =>
  (callback, ms, ...args) => {
    const run = currentRun();
    if (run === undefined) return set(callback, ms, ...args);
    if (typeof callback !== "function")
      throw Object.assign(new TypeError('The "callback" argument must be of type function.'), {
        code: "ERR_INVALID_ARG_TYPE",
      });
    return new Timeout(run, set, callback, ms, args);
  };

const cleared = (timer) => {
  if (timer instanceof Timeout) timer.close();
  else if (timer !== undefined && timer !== null) currentRun()?.timers.get(Number(timer))?.close();
};

const setTimer = timed(later);

/** The timers that scripts see, also through `node:timers`. */
export const timers = {
  setTimeout: setTimer,
  setInterval: timed(every),
  setImmediate: (callback, ...args) => setTimer(callback, 0, ...args),
  clearTimeout: cleared,
  clearInterval: cleared,
  clearImmediate: cleared,
};

export function queueTask(callback) {
  const run = currentRun();
  soon(run === undefined ? callback : callbackOf(run, callback));
}
