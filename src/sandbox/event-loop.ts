// What a script waits for, counted inside its isolate: it is over when nothing of it waits any more, as in Node.

export const LOOP_MODULE = "gateway/loop.js";

/**
 * Work of the run that is under way in this async context. `runs` tells runs apart; a run has `pending`, `timers` and `fail`.
 * Timers of a script are objects, as Node has them; of everything else they stay numbers.
 */
export const LOOP_SOURCE = `
import { AsyncLocalStorage } from "node:async_hooks";

const { Map, Promise } = globalThis;
/** The runtime's own, which nobody waits for. */
export const later = setTimeout;
const cancel = clearTimeout, every = setInterval, soon = queueMicrotask;
/** A script is over when it was seen idle in so many turns of the event loop, one after the other. */
const IDLE_TURNS = 3;

export const runs = new AsyncLocalStorage();

/** Counts something that the run waits for, until the answer is called. */
export function begin(run) {
  run.pending++;
  let open = true;
  return () => { if (open) { open = false; run.pending--; } };
}

/** The same for a promise, which is answered as it is. */
export function during(run, promise) {
  const end = begin(run);
  promise.then(end, end);
  return promise;
}

/** Resolves when the run is idle, or has ended. */
export async function idle(run) {
  for (let turns = 0; turns < IDLE_TURNS && !run.over; ) {
    await new Promise((resolve) => { later(resolve, 0); });
    turns = run.pending === 0 ? turns + 1 : 0;
  }
}

/** Ends all timers of a run. */
export function endTimers(run) {
  for (const timer of run.timers.values()) timer.close();
}

/** A callback of a run: what it throws ends the run and not the isolate. */
export const callbackOf = (run, callback) => function (...args) {
  if (run.over) return;
  try { callback.apply(this, args); } catch (error) { run.fail(error); }
};

class Timer {
  #run; #set; #callback; #ms; #number; #end = null; #counts = true;
  constructor(run, set, callback, ms, args) {
    this.#run = run;
    this.#set = set;
    this.#ms = ms;
    const call = callbackOf(run, callback);
    this.#callback = () => { if (set === later) this.#forget(); call(...args); };
    this.#start();
  }
  #start() {
    const set = this.#set;
    this.#number = set(this.#callback, this.#ms);
    this.#run.timers.set(this.#number, this);
    if (this.#counts) this.#end = begin(this.#run);
  }
  #forget() { this.#run.timers.delete(this.#number); this.#end?.(); this.#end = null; }
  close() { cancel(this.#number); this.#forget(); return this; }
  ref() { if (!this.#counts && this.#run.timers.get(this.#number) === this) this.#end = begin(this.#run); this.#counts = true; return this; }
  unref() { this.#counts = false; this.#end?.(); this.#end = null; return this; }
  hasRef() { return this.#counts; }
  refresh() { this.close(); this.#start(); return this; }
  [Symbol.toPrimitive]() { return this.#number; }
  [Symbol.dispose]() { this.close(); }
}

const timed = (set) => (callback, ms, ...args) => {
  const run = runs.getStore();
  if (run?.fail === undefined) return set(callback, ms, ...args);
  if (typeof callback !== "function") throw new TypeError("The callback is no function.");
  return new Timer(run, set, callback, ms, args);
};
const cleared = (timer) => {
  if (timer instanceof Timer) timer.close();
  else (runs.getStore()?.timers?.get(Number(timer)))?.close() ?? cancel(timer);
};
globalThis.setTimeout = timed(later);
globalThis.setInterval = timed(every);
globalThis.clearTimeout = cleared;
globalThis.clearInterval = cleared;
globalThis.queueMicrotask = (callback) => {
  const run = runs.getStore();
  soon(run?.fail === undefined ? callback : callbackOf(run, callback));
};

// Also after a run has ended: what nobody listens to, the runtime writes into the operator's log.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  runs.getStore()?.fail?.(event.reason, "unhandledRejection");
});
`;
