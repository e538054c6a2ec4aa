// Runs the built Worker in Miniflare: workerd with local D1, R2, Durable Objects and loader, without a proxy.

import path from "node:path";
import { MAIN_MODULE } from "../build/bundle.mjs";
import { listFiles, root } from "../kit/files.mjs";
import { portTaken, Refusal, say } from "../kit/refusal.mjs";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";
import { syncHandler } from "../serve/sync.mjs";
import { OUTBOUND, outboundWorker, readDurableModule, servedModules } from "../serve/worker.mjs";
import { readLoaderModule, runnerBindings } from "./runner.mjs";
import { openRuntime, workerConfig } from "./runtime.mjs";

/** Keys of wrangler.toml that are used below or by the build, or have no effect locally. Any other key is an error. */
const KNOWN_KEYS = new Set(
  (
    "name main rules compatibility_date compatibility_flags triggers assets build define observability placement limits workers_dev routes " +
    "vars d1_databases r2_buckets durable_objects migrations worker_loaders ratelimits"
  ).split(" "),
);
/**
 * Miniflare's own address for the scheduled event. Only its entry has it, on a random port of the loopback interface. It asks for no key,
 * so any program of this machine can begin housekeeping, which changes nothing that it would not change later.
 */
const SCHEDULED = "http://localhost/cdn-cgi/local/scheduled";

/**
 * @param {{ modules: Record<string, string>, variables: Record<string, string>, state: string, port: number, owner: string, onRuntime:
 * (pid: number) => void, onLost: () => void, deferred?: import("./deferred.mjs").DeferredParts, runner?: import("./runner.mjs").Runner |
 * null, served?: import("../serve/worker.mjs").Served }} options `modules`: those of `buildGateway`; `owner`: the mark of the processes;
 * `onRuntime`: called for every workerd when it starts; `onLost`: called when one does not come back; `deferred`: serves static files that
 * are not built yet; `runner`: runs skill code, else the gateway's own process does; `served`: the Worker accepts only what the server of
 * `npm run serve` passes, and reaches only the hosts of a deployment
 */
export async function openGateway({
  modules,
  variables,
  state,
  port,
  owner,
  onRuntime,
  onLost,
  deferred,
  runner,
  served,
}) {
  const config = await readWranglerConfig();
  const outputs = deferred?.outputs ?? [];
  // wrangler's own layout, so `wrangler dev` on the same folder uses the same data.
  const place = path.join(state, "v3");
  const gateway = await gatewayWorker(config, { modules, variables, port, outputs, runner, served, place });
  const workers = [
    gateway,
    filesWorker(config, deferred),
    ...(served === undefined ? [] : [outboundWorker(config, served)]),
  ];
  const runtime = openRuntime({
    label: "workerd",
    workers,
    owner,
    state: place,
    hasSchedules: true,
    onRuntime,
    onLost,
  });
  return {
    isStarting: runtime.isStarting,
    restart: runtime.restart,
    async ready() {
      try {
        await runtime.miniflare.ready;
      } catch (error) {
        throw error.code === "ERR_ADDRESS_IN_USE" ? portTaken(port) : error;
      }
    },
    database: () => runtime.miniflare.getD1Database(config.d1_databases[0].binding),
    packages: () => runtime.miniflare.getR2Bucket(config.r2_buckets[0].binding),
    schedules: config.triggers?.crons ?? [],
    // As a request, because `getWorker` blocks this process until workerd responds. The watchdog could not end a workerd that is stuck.
    async runSchedule(cron, scheduledTime) {
      const query = new URLSearchParams({ cron, time: `${scheduledTime.getTime()}` });
      const response = await runtime.miniflare.dispatchFetch(`${SCHEDULED}?${query}`);
      const outcome = await response.text();
      if (outcome !== "ok") say(`the scheduled job ${cron} failed: ${outcome}`);
      return outcome;
    },
    runtime: runtime.runtime,
    stop: runtime.stop,
  };
}

/**
 * Serves the files that public/ has now, as a deployment does.
 * @param {string} owner marks the process
 * @returns {Promise<{ fetch: (url: string, init: object) => Promise<Response>, close: () => Promise<void> }>}
 */
export async function openFiles(owner) {
  const config = await readWranglerConfig();
  const { miniflare, stop } = openRuntime({
    label: "the server of static files",
    workers: [filesWorker(config)],
    owner,
  });
  await miniflare.ready;
  return { fetch: (url, init) => miniflare.dispatchFetch(url, init), close: stop };
}

/** Returns the Worker with its own socket. Through Miniflare's entry and the asset router a request would take four times as long. */
async function gatewayWorker(config, { modules, variables, port, outputs, runner, served, place }) {
  const unknown = Object.keys(config).filter((key) => !KNOWN_KEYS.has(key));
  if (unknown.length > 0)
    throw new Refusal(`scripts/local/gateway.mjs does not support these keys of wrangler.toml: ${unknown.join(", ")}.`);
  const { directory, binding, run_worker_first: rules = [] } = config.assets;
  const isFirst = (name) =>
    rules.some((rule) => (rule.endsWith("*") ? name.startsWith(rule.slice(0, -1)) : name === rule));
  const files = (await staticPaths(path.join(root, directory))).filter((name) => !isFirst(name));
  const deferred = outputs.map((output) => `/${output}`).filter((prefix) => !isFirst(prefix));
  const list = (key) => config[key] ?? [];
  const objects = config.durable_objects?.bindings ?? [];
  const [bucket] = list("r2_buckets");
  const around = {
    ...(runner == null ? {} : { "loader.js": await readLoaderModule() }),
    ...(served === undefined ? {} : { "durable.js": await readDurableModule() }),
  };
  const isPlain = Object.keys(around).length === 0;
  if (!isPlain) around[AROUND_MODULE] = aroundModule(objects, Object.keys(around), bucket.binding);
  const entry = entryModule(files, deferred, binding, isPlain ? MAIN_MODULE : AROUND_MODULE);
  const sqlite = list("migrations").flatMap((migration) => migration.new_sqlite_classes ?? []);
  const bindings = [
    ...Object.entries({ ...config.vars, ...variables }).map(([name, value]) => [
      name,
      { type: "text", value: `${value}` },
    ]),
    ...list("d1_databases").map((db) => [db.binding, { type: "d1", id: db.database_id }]),
    ...list("r2_buckets").map((bucket) => [bucket.binding, { type: "r2", name: bucket.bucket_name }]),
    ...(runner == null
      ? list("worker_loaders").map((loader) => [loader.binding, { type: "worker-loader" }])
      : runnerBindings(runner)),
    ...objects.map((object) => [
      object.name,
      { type: "durable-object", worker: config.name, exportName: object.class_name },
    ]),
    [config.assets.binding, { type: "worker", worker: "files" }],
    ...(served === undefined ? [] : [["SYNC", { type: "fetcher", handler: syncHandler(place, bucket.bucket_name) }]]),
  ];
  const first = served === undefined ? {} : await servedModules(config, served, "start.js");
  return {
    config: {
      ...workerConfig(config, config.name, { ...first, "start.js": entry, ...around, ...modules }),
      env: Object.fromEntries(bindings),
      exports: Object.fromEntries(sqlite.map((name) => [name, { type: "durable-object", storage: "sqlite" }])),
    },
    dev: {
      // A proxy's request line has the whole URL, so the Worker receives the public one.
      unsafeDirectSockets: [{ host: "127.0.0.1", port, proxy: served !== undefined }],
      ...(served === undefined ? {} : { outboundService: { type: "worker", worker: OUTBOUND } }),
    },
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
      ...workerConfig(config, "files", { "files.js": script }),
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

/**
 * Runs before the Worker, in its own isolate. A request whose path is a file is sent to the files, as the asset router of a deployment
 * does.
 */
function entryModule(paths, deferred, binding, main) {
  return `import gateway from "./${main}";
export * from "./${main}";
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

const AROUND_MODULE = "around.js";

/** What the modules of `around` do with the bindings. */
const WRAPPERS = {
  "loader.js": { name: "withRunner", call: (env) => `withRunner(${env})` },
  "durable.js": {
    name: "withDurableBucket",
    call: (env, bucket) => `withDurableBucket(${env}, ${JSON.stringify(bucket)})`,
  },
};

/** Passes the bindings, changed by these modules, to the handlers and objects of the Worker. */
function aroundModule(objects, modules, bucket) {
  const imports = modules.map((file) => `import { ${WRAPPERS[file].name} } from "./${file}";\n`);
  const changed = modules.reduce((env, file) => WRAPPERS[file].call(env, bucket), "env");
  const classes = objects.map(
    ({ class_name: name }) =>
      `export class ${name} extends gateway.${name} { constructor(state, env) { super(state, bindingsOf(env)); } }\n`,
  );
  return `import * as gateway from "./${MAIN_MODULE}";
${imports.join("")}const bindingsOf = (env) => ${changed};
const handlers = Object.entries(gateway.default);
export default Object.fromEntries(
  handlers.map(([name, handle]) => [name, (event, env, context) => handle(event, bindingsOf(env), context)]),
);
${classes.join("")}`;
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
