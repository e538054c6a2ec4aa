// The second runtime process of `npm start`. It runs the code of skills, so that a script that blocks its process cannot block the gateway.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";
import { anyPort } from "./port.mjs";
import { openRuntime, workerConfig } from "./runtime.mjs";

const FOLDER = path.join(import.meta.dirname, "runner");
const HOST = "127.0.0.1";

/**
 * @typedef {{
 *   url: string, key: string, isStarting: () => boolean, runtime: () => number, ready: () => Promise<unknown>, stop: () => Promise<void>,
 * }} Runner `url`: answers probes; `key`: authenticates the gateway, because other programs of this machine can reach the port
 */

/**
 * @param {{ owner: string, onRuntime: (pid: number) => void, onLost: () => void }} options `owner`: the mark of the process; `onRuntime`:
 * called for every workerd when it starts; `onLost`: called when one does not come back
 * @returns {Promise<Runner | null>} `null` if the gateway has no loader, so that no skill code runs
 */
export async function openRunner({ owner, onRuntime, onLost }) {
  const config = await readWranglerConfig();
  if ((config.worker_loaders ?? []).length === 0) return null;
  const [port, source] = await Promise.all([anyPort(), readFile(path.join(FOLDER, "worker.js"), "utf8")]);
  const key = randomBytes(32).toString("base64url");
  const worker = {
    config: {
      ...workerConfig(config, "runner", { "worker.js": source }),
      env: { LOADER: { type: "worker-loader" }, RUNNER_KEY: { type: "text", value: key } },
    },
    dev: { unsafeDirectSockets: [{ host: HOST, port }] },
  };
  const { miniflare, ...runtime } = openRuntime({
    label: "the process for skill code",
    workers: [worker],
    owner,
    onRuntime,
    onLost,
  });
  return { ...runtime, url: `http://${HOST}:${port}`, key, ready: () => miniflare.ready };
}

/** Returns the bindings by which the gateway's Worker reaches the process. */
export function runnerBindings({ url, key }) {
  return [
    ["RUNNER", { type: "external", address: new URL(url).host, http: {} }],
    ["RUNNER_KEY", { type: "text", value: key }],
  ];
}

/** The module that replaces the loader in the gateway's Worker. */
export const readLoaderModule = () => readFile(path.join(FOLDER, "loader.js"), "utf8");
