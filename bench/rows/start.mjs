// Start of the Worker: from the start of a workerd process to its first answer, over that of a Worker with nothing but Hono.
// workerd alone, without Miniflare: what is measured is the reading and running of the module, not the simulators.

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import workerd from "workerd";
import { bundleWorker } from "../../scripts/build/bundle.mjs";
import { bundleHono } from "../bundle.mjs";
import { COMPATIBILITY } from "../gateway.mjs";
import { median, percentiles } from "../measure.mjs";

export async function run({ passes, seconds }) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "gateway-bench-start-"));
  try {
    const gateway = await configure(
      path.join(folder, "gateway"),
      await bundleWorker({ entry: "src/index.ts", release: true }),
      CONVERSATIONS,
    );
    const empty = await configure(path.join(folder, "hono"), await bundleHono(), "");
    const starts = Math.max(5, Math.round(4 * seconds));
    await start(gateway, NOTHING);
    await start(empty, NOTHING);
    const measured = [];
    for (let pass = 0; pass < passes; pass++) measured.push(await measure(empty, gateway, starts));
    const row = (name, side, budget) => {
      const difference = measured.map((times) => times[side].p50 - times.floor.p50);
      const of = (which, at) => median(measured.map((times) => times[which][at]));
      const times = (which) => ({ p50: of(which, "p50"), p99: of(which, "p99"), samples: passes * starts });
      const spread = [Math.min(...difference), Math.max(...difference)];
      return { name, unit: "ms", value: median(difference), budget, floor: times("floor"), path: times(side), spread };
    };
    return [
      row("start of the Worker, over an empty Hono Worker", "path", 60),
      // What the API needs is read with its first request: what that costs is to be seen too.
      row("start of the Worker to its first answer of the API, over the same", "api", null),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const NOTHING = "/nothing";
/** Refused without a key, and so without a binding. */
const API = "/api/v1/me";

async function measure(empty, gateway, starts) {
  const times = { floor: [], path: [], api: [] };
  for (let n = 0; n < starts; n++) {
    times.floor.push(await start(empty, NOTHING));
    times.path.push(await start(gateway, NOTHING));
    times.api.push(await start(gateway, API));
  }
  return { floor: percentiles(times.floor), path: percentiles(times.path), api: percentiles(times.api) };
}

const CONVERSATIONS = `
  durableObjectNamespaces = [ (className = "Conversation", uniqueKey = "conversation", enableSql = true) ],
  durableObjectStorage = (inMemory = void),
  bindings = [ (name = "CONVERSATIONS", durableObjectNamespace = "Conversation") ],`;

/** Writes a configuration of workerd with these modules, the main one first; its file name. */
async function configure(folder, { modules }, more) {
  await mkdir(folder);
  await Promise.all(Object.entries(modules).map(([name, text]) => writeFile(path.join(folder, name), text)));
  const names = Object.keys(modules).map((name) => JSON.stringify(name));
  const file = path.join(folder, "config.capnp");
  const flags = COMPATIBILITY.flags.map((flag) => JSON.stringify(flag)).join(", ");
  await writeFile(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);
const main :Workerd.Worker = (
  modules = [ ${names.map((name) => `(name = ${name}, esModule = embed ${name})`).join(", ")} ],
  compatibilityDate = ${JSON.stringify(COMPATIBILITY.date)},
  compatibilityFlags = [ ${flags} ],${more}
);`,
  );
  return file;
}

/** Starts workerd, asks it for something that needs no binding, ends it; how long the answer took from the beginning. */
function start(configuration, asked) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(workerd.default, ["serve", "--experimental", "--control-fd=3", configuration], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    let ms = null;
    child.on("error", reject);
    child.on("exit", (code) => {
      if (ms === null) reject(new Error(`workerd ended with ${code}`));
      else resolve(ms);
    });
    let told = "";
    child.stdio[3].on("data", (chunk) => {
      told += chunk;
      const port = /"event":"listen","socket":"http","port":(\d+)/.exec(told)?.[1];
      if (port === undefined || ms !== null) return;
      ms = Number.NaN;
      http
        .get({ host: "127.0.0.1", port, path: asked, agent: false }, (response) => {
          response.resume();
          response.on("end", () => {
            ms = performance.now() - started;
            child.kill("SIGKILL");
          });
        })
        .on("error", (error) => {
          child.kill("SIGKILL");
          reject(error);
        });
    });
  });
}
