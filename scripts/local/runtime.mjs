// Starts a workerd process through Miniflare and keeps track of it.

import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { root } from "../kit/files.mjs";
import { Log, LogLevel, Miniflare } from "../kit/miniflare.mjs";
import { say } from "../kit/refusal.mjs";
import { OWNER_VARIABLE } from "./processes.mjs";

/**
 * Milliseconds after which a restarted runtime counts as lost. A restart usually takes half a second; 12 s were measured on a busy machine.
 */
const RESTART_PATIENCE = 60_000;

/** The runtime that the current code opens. Its processes are started in the same asynchronous context, also after a crash. */
const opening = new AsyncLocalStorage();

/**
 * @param {{ label: string, workers: object[], owner: string, state?: string, hasSchedules?: boolean, onRuntime?: (pid: number) => void,
 * onLost?: () => void }} options `label`: names the process in messages; `owner`: the mark of the process; `state`: the folder of the data;
 * `hasSchedules`: the first Worker receives scheduled events, which every program of this machine can send; `onRuntime`: called for every
 * workerd when it starts; `onLost`: called when one does not come back
 */
export function openRuntime({
  label,
  workers,
  owner,
  state,
  hasSchedules = false,
  onRuntime = () => {},
  onLost = () => {},
}) {
  const token = {};
  let isStopping = false;
  let isPaused = false;
  let runtime = 0;
  let lost;
  const onProcess = ({ process: child }) => {
    if (opening.getStore() !== token) return;
    child.once("spawn", () => {
      if (!child.spawnargs.includes("--control-fd=3")) return;
      runtime = child.pid;
      onRuntime(runtime);
      child.once("exit", (code, signal) => {
        if (isStopping || isPaused) return;
        say(`${label} stopped (${signal ?? code}), restarting it`);
        lost ??= setTimeout(onLost, RESTART_PATIENCE);
      });
    });
  };
  subscribe("child_process", onProcess);
  const options = {
    host: "127.0.0.1",
    cf: false,
    log: new StderrLog(LogLevel.ERROR),
    handleStructuredLogs: ({ message }) => say(message),
    // Both are for several Workers on one machine. The registry would also create a file in the home folder.
    enableDevRegistry: false,
    logRequests: false,
    unsafeTriggerHandlers: hasSchedules,
    ...(state === undefined ? {} : { resourcePersistencePath: state }),
    unsafeRuntimeEnv: { [OWNER_VARIABLE]: owner },
    unsafeHandleRuntimeRestart: () => {
      clearTimeout(lost);
      lost = undefined;
      say(`${label} is running again`);
    },
    workers,
  };
  const open = () => opening.run(token, () => withoutSignalHandlers(() => new Miniflare(options)));
  let miniflare = open();
  return {
    get miniflare() {
      return miniflare;
    },
    /** Whether workerd has stopped and is not running again yet. */
    isStarting: () => isPaused || lost !== undefined,
    runtime: () => runtime,
    /** Stops workerd, calls `between` while nothing has the data open, and starts workerd again. */
    async restart(between) {
      isPaused = true;
      try {
        await miniflare.dispose();
        await between();
      } finally {
        if (!isStopping) {
          miniflare = open();
          await miniflare.ready;
          isPaused = false;
        }
      }
    },
    stop() {
      isStopping = true;
      unsubscribe("child_process", onProcess);
      return miniflare.dispose();
    },
  };
}

/** Returns the configuration of a Worker. The first module is its main module. */
export function workerConfig({ compatibility_date, compatibility_flags }, name, sources) {
  const modules = Object.entries(sources).map(([file, contents]) => [file, { type: "esm", contents }]);
  return {
    name,
    compatibilityDate: compatibility_date,
    compatibilityFlags: compatibility_flags,
    manifest: { mainModule: modules[0][0], modulesRoot: root, modules: Object.fromEntries(modules) },
  };
}

/** On a signal, Miniflare would end the process at once, before the script can stop in order. */
function withoutSignalHandlers(make) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  const before = signals.map((signal) => process.listeners(signal));
  const made = make();
  for (const [i, signal] of signals.entries()) {
    for (const handler of process.listeners(signal)) {
      if (!before[i].includes(handler)) process.removeListener(signal, handler);
    }
  }
  return made;
}

class StderrLog extends Log {
  log(message) {
    say(message);
  }
}
