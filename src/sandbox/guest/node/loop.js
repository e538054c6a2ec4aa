// What a script waits for: it is over when nothing of it waits any more, as in Node. Runs are told apart by their async context.

import { AsyncLocalStorage } from "node:async_hooks";

/** The runtime's own timers, which nobody waits for. */
export const later = setTimeout;
const cancel = clearTimeout;
const every = setInterval;
const soon = queueMicrotask;
/** A script is over when it was seen idle in so many turns of the event loop, one after the other. */
const IDLE_TURNS = 3;
/** What is not counted, such as a stream of the runtime's own, gets so many before an unsettled module is given up. */
const PATIENT_TURNS = 20;

const runs = new AsyncLocalStorage();
/** Runs that are under way, for what comes without a context. */
const active = new Set();

/** The names that are there without any script. */
let before = new Set();

export function keepGlobals() {
  before = new Set(Reflect.ownKeys(globalThis));
}

/** The run whose code is being run. */
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
  // What a script has made global is no other script's.
  if (active.size === 0)
    for (const name of Reflect.ownKeys(globalThis)) if (!before.has(name)) Reflect.deleteProperty(globalThis, name);
  for (const timer of run.timers.values()) timer.close();
}

/** Counts something that the run waits for, until the answer is called. */
export function begin(run) {
  run.pending++;
  let open = true;
  return () => {
    if (open) run.pending--;
    open = false;
  };
}

/** The same for a promise, which is answered as it is. */
export function during(run, promise) {
  const end = begin(run);
  promise.then(end, end);
  return promise;
}

/** Resolves when the run is idle, or has ended. `isPatient`: its main module is not settled yet. */
export async function idle(run, isPatient = false) {
  for (let turns = 0; turns < (isPatient ? PATIENT_TURNS : IDLE_TURNS) && !run.over; ) {
    await new Promise((resolve) => {
      later(resolve, 0);
    });
    turns = run.pending === 0 ? turns + 1 : 0;
  }
}

/** A callback of a run: what it throws ends the run and not the isolate. */
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
