// Measures cold isolates: starts a runtime process for a Worker, sends it one request, and ends it. Each process has a fresh copy of the
// prepared storage. It runs without Miniflare, whose own Workers take several times as long to start as an empty one. `serve` starts a
// process that goes on, for rows whose calls must not pass Miniflare's Workers.

import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import workerd from "workerd";
import { bundleWorker } from "../scripts/build/bundle.mjs";
import { root } from "../scripts/kit/files.mjs";
import { ADMIN_KEY, COMPATIBILITY, DATABASE, startGateway } from "./gateway.mjs";

/** Classes of objects by the name of their binding. */
const OBJECTS = { CONVERSATIONS: "Conversation", IMPORTS: "Import", METER: "Meter", EVENTS: "EventHub" };
/** Those of the floors in `bench/worker.ts`. */
const FLOORS = { FLOOR: "Floor", ASKING: "AskingFloor" };
/** A model provider that responds at once. It stands for the whole network, and for R2, which no measured request reads. */
const MODEL = `
const line = (data) => "data: " + data + "\\n\\n";
const chunk = (delta, finish_reason) =>
  line(JSON.stringify({ id: "answer", object: "chat.completion.chunk", created: 7, model: "cold", choices: [{ index: 0, delta, finish_reason }] }));
const answer = chunk({ role: "assistant", content: "Hello." }, null) + chunk({}, "stop") + line("[DONE]");
export default { fetch: () => new Response(answer, { headers: { "content-type": "text/event-stream" } }) };
`;

/**
 * Prepares storage with a gateway, for cold starts on copies of it.
 *
 * @template T
 * @param {(gateway: import("./gateway.mjs").Gateway) => Promise<T>} prepare writes what the requests need
 * @param {{ development?: boolean }} [options] of that gateway
 */
export async function prepareCold(prepare, options = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "gateway-bench-cold-"));
  const state = path.join(folder, "prepared");
  const current = path.join(folder, "state");
  const gateway = await startGateway({ ...options, state });
  let prepared;
  try {
    prepared = await prepare(gateway);
  } finally {
    await gateway.stop();
  }
  await checkpoint(state);
  const { modules: database } = await bundleWorker({ entry: "bench/cold-database.ts", release: true });
  return {
    prepared,
    /**
     * Returns a function that starts this Worker, sends it a request and returns the times.
     *
     * @param {string} name of the Worker, for its folder
     * @param {Record<string, string>} modules texts by file name, the main one first
     */
    async worker(name, modules) {
      const config = await configure(path.join(folder, name), { modules, database, state: current });
      return async (request) => {
        await rm(current, { recursive: true, force: true });
        await cp(path.join(state, "v3"), current, { recursive: true });
        return first(config, request);
      };
    },
    /**
     * Starts this Worker with the floors and the network, for warm requests.
     *
     * @param {string} name of the Worker, for its folder
     * @param {Record<string, string>} modules texts by file name, the main one first
     * @returns {Promise<{ url: string, stop(): Promise<void> }>}
     */
    async serve(name, modules) {
      const own = path.join(folder, `${name}-state`);
      await cp(path.join(state, "v3"), own, { recursive: true });
      const config = await configure(path.join(folder, name), { modules, database, state: own, isOnline: true });
      return serving(config);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Empties the write-ahead logs of all databases. Otherwise each start would read them again. */
async function checkpoint(state) {
  for (const file of await readdir(state, { recursive: true })) {
    if (!file.endsWith(".sqlite")) continue;
    const database = new DatabaseSync(path.join(state, file));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
  }
}

/**
 * Writes a binary configuration of workerd, as Miniflare does, for a Worker with the gateway's bindings. Returns its file name.
 * `isOnline`: with the floors of the bench, and with the network instead of the model provider.
 */
async function configure(folder, { modules, database, state, isOnline = false }) {
  await mkdir(folder);
  const objects = Object.entries(isOnline ? { ...OBJECTS, ...FLOORS } : OBJECTS);
  const listed = async (prefix, texts) => {
    const lines = Object.entries(texts).map(async ([name, text]) => {
      await writeFile(path.join(folder, prefix + name), text);
      return `(name = ${JSON.stringify(name)}, esModule = embed ${JSON.stringify(prefix + name)})`;
    });
    return (await Promise.all(lines)).join(",\n    ");
  };
  const compatibility = (flags) =>
    `compatibilityDate = ${JSON.stringify(COMPATIBILITY.date)},
  compatibilityFlags = [ ${flags.map((flag) => JSON.stringify(flag)).join(", ")} ]`;
  const text = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "database", worker = .database),
    (name = "model", worker = .model),
    (name = "network", network = (allow = ["public", "private"])),
    (name = "assets", disk = ${JSON.stringify(path.join(root, "public"))}),
    (name = "objects", disk = (path = ${JSON.stringify(path.join(state, "do"))}, writable = true)),
    (name = "databases", disk = (path = ${JSON.stringify(path.join(state, "d1"))}, writable = true)),
  ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);
const main :Workerd.Worker = (
  modules = [
    ${await listed("", modules)}
  ],
  ${compatibility(COMPATIBILITY.flags)},
  globalOutbound = "${isOnline ? "network" : "model"}",
  durableObjectNamespaces = [
    ${objects.map(([, name]) => `(className = "${name}", uniqueKey = "skill-gateway-${name}", enableSql = true)`).join(", ")}
  ],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "GATEWAY_ADMIN_KEY", text = ${JSON.stringify(ADMIN_KEY)}),
    (name = "LOG_REQUESTS", text = "false"),
    (name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [ (name = "fetcher", service = "database") ])),
    (name = "PACKAGES", r2Bucket = "model"),
    (name = "ASSETS", service = "assets"),
    (name = "LOADER", workerLoader = (id = "loader")),
    ${objects.map(([binding, name]) => `(name = "${binding}", durableObjectNamespace = "${name}")`).join(", ")},
  ],
);
const database :Workerd.Worker = (
  modules = [ ${await listed("database-", database)} ],
  ${compatibility([])},
  durableObjectNamespaces = [ (className = "Database", uniqueKey = "miniflare-D1DatabaseObject", enableSql = true) ],
  durableObjectStorage = (localDisk = "databases"),
  bindings = [ (name = "DATABASE", durableObjectNamespace = "Database"), (name = "NAME", text = ${JSON.stringify(DATABASE)}) ],
);
const model :Workerd.Worker = (
  modules = [ ${await listed("model-", { "model.js": MODEL })} ],
  ${compatibility([])},
);
`;
  const source = path.join(folder, "config.capnp");
  await writeFile(source, text);
  const encoded = await promisify(execFile)(workerd.default, ["compile", "--config-only", source], {
    encoding: "buffer",
    maxBuffer: 2 ** 26,
  });
  const file = path.join(folder, "config.bin");
  await writeFile(file, encoded.stdout);
  return file;
}

/**
 * Starts one runtime process, sends the request and ends the process. A response that is not successful is an error.
 *
 * @returns {Promise<{ start: number, ms: number, cpu: number, text: string }>} `start`: milliseconds until the process listens; `ms`: until the
 *   response has ended; `cpu`: milliseconds of CPU that the process has used by then
 */
function first(config, request) {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = runtime(config);
    let outcome = null;
    const end = (settle) => {
      outcome ??= settle;
      child.kill("SIGKILL");
    };
    child.on("error", reject);
    child.on("exit", (code) => {
      if (outcome === null) reject(new Error(`workerd ended with ${code}`));
      else outcome();
    });
    onPort(child, (port) => {
      const start = performance.now() - began;
      send(port, request).then(
        (text) => {
          const ms = performance.now() - began;
          const cpu = cpuOf(child.pid);
          end(() => resolve({ start, ms, cpu, text }));
        },
        (error) => end(() => reject(error)),
      );
    });
  });
}

/** Starts a runtime process that goes on. */
function serving(config) {
  return new Promise((resolve, reject) => {
    const child = runtime(config);
    const ended = new Promise((settle) => child.on("exit", settle));
    child.on("error", reject);
    ended.then((code) => reject(new Error(`workerd ended with ${code}`)));
    const stop = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    onPort(child, (port) => resolve({ url: `http://127.0.0.1:${port}/`, stop }));
  });
}

function runtime(config) {
  const options = ["serve", "--binary", "--experimental", "--control-fd=3", config];
  return spawn(workerd.default, options, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
}

/** Calls back once, with the port on which the process listens. */
function onPort(child, listens) {
  let events = "";
  child.stdio[3].on("data", (chunk) => {
    const isNew = !LISTENS.test(events);
    events += chunk;
    const port = LISTENS.exec(events)?.[1];
    if (isNew && port !== undefined) listens(port);
  });
}

const LISTENS = /"event":"listen","socket":"http","port":(\d+)/;

function send(port, { method, route, headers = {}, body, status }) {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": body.length };
    const options = { host: "127.0.0.1", port, method, path: route, agent: false, headers: { ...headers, ...length } };
    const sent = http.request(options, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === (status ?? 200)) resolve(text);
        else reject(new Error(`${method} ${route}: ${response.statusCode} ${text.slice(0, 500)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Milliseconds of CPU of all threads of a process. Linux only. */
function cpuOf(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}
