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
    await start(gateway);
    await start(empty);
    const measured = [];
    for (let pass = 0; pass < passes; pass++) measured.push(await measure(empty, gateway, starts));
    const difference = measured.map((times) => times.path.p50 - times.floor.p50);
    const of = (side, name) => median(measured.map((times) => times[side][name]));
    const times = (side) => ({ p50: of(side, "p50"), p99: of(side, "p99"), samples: passes * starts });
    return [
      {
        name: "start of the Worker, over an empty Hono Worker",
        unit: "ms",
        value: median(difference),
        budget: 60,
        floor: times("floor"),
        path: times("path"),
        spread: [Math.min(...difference), Math.max(...difference)],
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(empty, gateway, starts) {
  const times = { floor: [], path: [] };
  for (let n = 0; n < starts; n++) {
    times.floor.push(await start(empty));
    times.path.push(await start(gateway));
  }
  return { floor: percentiles(times.floor), path: percentiles(times.path) };
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
function start(configuration) {
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
        .get({ host: "127.0.0.1", port, path: "/nothing", agent: false }, (response) => {
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
