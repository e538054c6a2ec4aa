// Runs the built Worker in Miniflare: workerd with local D1, R2, Durable Objects and loader, without a proxy.

import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import path from "node:path";

import { MAIN_MODULE } from "../build/bundle.mjs";
import { listFiles, root } from "../kit/files.mjs";
import { Log, LogLevel, Miniflare } from "../kit/miniflare.mjs";
import { portTaken, Refusal, say } from "../kit/refusal.mjs";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";
import { OWNER_VARIABLE } from "./processes.mjs";

/** Keys of wrangler.toml that are used below or by the build, or have no effect locally. Any other key is an error. */
const KNOWN_KEYS = new Set(
  (
    "name main rules compatibility_date compatibility_flags triggers assets build define observability placement limits workers_dev routes " +
    "vars d1_databases r2_buckets durable_objects migrations worker_loaders ratelimits"
  ).split(" "),
);
/**
 * Milliseconds after which a restarted runtime counts as lost. A restart usually takes half a second; 12 s were measured on a busy machine.
 */
const RESTART_PATIENCE = 60_000;

/**
 * @param {{ modules: Record<string, string>, variables: Record<string, string>, state: string, port: number, owner: string, onRuntime:
 * (pid: number) => void, onLost: () => void, deferred?: import("./deferred.mjs").DeferredParts, }} options `modules`: those of
 * `buildGateway`; `owner`: the mark of the processes; `onRuntime`: called for every workerd when it starts; `onLost`: called when one does
 * not come back; `deferred`: serves static files that are not built yet
 */
export async function openGateway({ modules, variables, state, port, owner, onRuntime, onLost, deferred }) {
  const config = await readWranglerConfig();
  const outputs = deferred?.outputs ?? [];
  const workers = [await gatewayWorker(config, modules, variables, port, outputs), filesWorker(config, deferred)];
  let isStopping = false;
  let runtime = 0;
  let lost;
  subscribe("child_process", ({ process: child }) => {
    const isFileServer = fileServers.getStore() === true;
    child.once("spawn", () => {
      if (!child.spawnargs.includes("--control-fd=3") || isFileServer) return;
      runtime = child.pid;
      onRuntime(runtime);
      child.once("exit", (code, signal) => {
        if (isStopping) return;
        say(`workerd stopped (${signal ?? code}), restarting it`);
        lost ??= setTimeout(onLost, RESTART_PATIENCE);
      });
    });
  });
  const miniflare = withoutSignalHandlers(
    () =>
      new Miniflare({
        host: "127.0.0.1",
        cf: false,
        log: new StderrLog(LogLevel.ERROR),
        handleStructuredLogs: ({ message }) => say(message),
        // Both are for several Workers on one machine. The registry would also create a file in the home folder.
        enableDevRegistry: false,
        logRequests: false,
        // wrangler's own layout, so `wrangler dev` on the same folder uses the same data.
        resourcePersistencePath: path.join(state, "v3"),
        unsafeRuntimeEnv: { [OWNER_VARIABLE]: owner },
        unsafeHandleRuntimeRestart: () => {
          clearTimeout(lost);
          lost = undefined;
          say("workerd is running again");
        },
        workers,
      }),
  );
  return {
    /** Whether workerd has stopped and is not running again yet. */
    isStarting: () => lost !== undefined,
    async ready() {
      try {
        await miniflare.ready;
      } catch (error) {
        throw error.code === "ERR_ADDRESS_IN_USE" ? portTaken(port) : error;
      }
    },
    database: () => miniflare.getD1Database(config.d1_databases[0].binding),
    packages: () => miniflare.getR2Bucket(config.r2_buckets[0].binding),
    schedules: config.triggers?.crons ?? [],
    async runSchedule(cron, scheduledTime) {
      const worker = await miniflare.getWorker(config.name);
      const { outcome } = await worker.scheduled({ cron, scheduledTime });
      if (outcome !== "ok") say(`the scheduled job ${cron} failed: ${outcome}`);
      return outcome;
    },
    runtime: () => runtime,
    stop() {
      isStopping = true;
      return miniflare.dispose();
    },
  };
}

/** Set while only a server of static files opens, so that its workerd is not mistaken for the gateway's. */
const fileServers = new AsyncLocalStorage();

/**
 * Serves the files that public/ has now, as a deployment does.
 * @param {string} owner marks the process
 * @returns {Promise<{ fetch: (url: string, init: object) => Promise<Response>, close: () => Promise<void> }>}
 */
export async function openFiles(owner) {
  const config = await readWranglerConfig();
  return fileServers.run(true, async () => {
    const miniflare = withoutSignalHandlers(
      () =>
        new Miniflare({
          cf: false,
          log: new StderrLog(LogLevel.ERROR),
          enableDevRegistry: false,
          logRequests: false,
          unsafeRuntimeEnv: { [OWNER_VARIABLE]: owner },
          workers: [filesWorker(config)],
        }),
    );
    await miniflare.ready;
    return { fetch: (url, init) => miniflare.dispatchFetch(url, init), close: () => miniflare.dispose() };
  });
}

/** Returns the Worker with its own socket. Through Miniflare's entry and the asset router a request would take four times as long. */
async function gatewayWorker(config, modules, variables, port, outputs) {
  const unknown = Object.keys(config).filter((key) => !KNOWN_KEYS.has(key));
  if (unknown.length > 0)
    throw new Refusal(`scripts/local/gateway.mjs does not support these keys of wrangler.toml: ${unknown.join(", ")}.`);
  const { directory, binding, run_worker_first: first = [] } = config.assets;
  const isFirst = (name) =>
    first.some((rule) => (rule.endsWith("*") ? name.startsWith(rule.slice(0, -1)) : name === rule));
  const files = (await staticPaths(path.join(root, directory))).filter((name) => !isFirst(name));
  const deferred = outputs.map((output) => `/${output}`).filter((prefix) => !isFirst(prefix));
  const entry = entryModule(files, deferred, binding);
  const list = (key) => config[key] ?? [];
  const sqlite = list("migrations").flatMap((migration) => migration.new_sqlite_classes ?? []);
  const bindings = [
    ...Object.entries({ ...config.vars, ...variables }).map(([name, value]) => [
      name,
      { type: "text", value: `${value}` },
    ]),
    ...list("d1_databases").map((db) => [db.binding, { type: "d1", id: db.database_id }]),
    ...list("r2_buckets").map((bucket) => [bucket.binding, { type: "r2", name: bucket.bucket_name }]),
    ...list("worker_loaders").map((loader) => [loader.binding, { type: "worker-loader" }]),
    ...(config.durable_objects?.bindings ?? []).map((object) => [
      object.name,
      { type: "durable-object", worker: config.name, exportName: object.class_name },
    ]),
    [config.assets.binding, { type: "worker", worker: "files" }],
  ];
  return {
    config: {
      ...worker(config, config.name, { "start.js": entry, ...modules }),
      env: Object.fromEntries(bindings),
      exports: Object.fromEntries(sqlite.map((name) => [name, { type: "durable-object", storage: "sqlite" }])),
    },
    dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port }] },
  };
}

/**
 * Static files in a Worker of their own, with the headers and content types of a deployment. Which files there are is fixed when it starts,
 * so what is built later is fetched from this process.
 */
function filesWorker(config, deferred = { outputs: [] }) {
  const script = `const deferred = ${JSON.stringify(deferred.outputs.map((output) => `/${output}`))};
export default {
  fetch(request, env) {
    const { pathname } = new URL(request.url);
    return (deferred.some((prefix) => pathname.startsWith(prefix)) ? env.DEFERRED : env.ASSETS).fetch(request);
  },
};
`;
  const later = deferred.outputs.length === 0 ? {} : { DEFERRED: { type: "fetcher", handler: deferred.fetch } };
  return {
    config: {
      ...worker(config, "files", { "files.js": script }),
      env: { ASSETS: { type: "assets" }, ...later },
      assets: {
        directory: path.join(root, config.assets.directory),
        hasUserWorker: true,
        // A file of an earlier build is not served in place of one that is being built.
        runWorkerFirst: deferred.outputs.length > 0,
      },
    },
  };
}

function worker(config, name, sources) {
  const modules = Object.entries(sources).map(([file, contents]) => [file, { type: "esm", contents }]);
  return {
    name,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    manifest: { mainModule: modules[0][0], modulesRoot: root, modules: Object.fromEntries(modules) },
  };
}

/**
 * Runs before the Worker, in its own isolate. A request whose path is a file is sent to the files, as the asset router of a deployment
 * does.
 */
function entryModule(paths, deferred, binding) {
  return `import gateway from "./${MAIN_MODULE}";
export * from "./${MAIN_MODULE}";
const files = new Set(${JSON.stringify(paths)});
const deferred = ${JSON.stringify(deferred)};
export default {
  ...gateway,
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (deferred.some((prefix) => pathname.startsWith(prefix)) && ["GET", "HEAD"].includes(request.method)) {
      const file = await env.${binding}.fetch(request);
      return file.status === 404 ? gateway.fetch(request, env, context) : file;
    }
    return files.has(pathname) ? env.${binding}.fetch(request) : gateway.fetch(request, env, context);
  },
};
`;
}

/** Returns every path of a file: a page also without `.html`, an index also as its folder. */
async function staticPaths(folder) {
  const files = (await listFiles(folder)).filter((file) => file !== "_headers" && file !== "_redirects");
  return files.flatMap((file) => {
    const page = file.replace(/\.html$/, "");
    const names =
      page === file ? [file] : [file, page, page.replace(/(^|\/)index$/, "$1"), page.replace(/(^|\/)index$/, "")];
    return [...new Set(names)].map((name) => encodeURI(`/${name}`));
  });
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
