// Returns the admin key of the local gateway to scripts that call that gateway, and only to them.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { readVariableFile } from "./devvars.mjs";

const LOOPBACK = ["127.0.0.1", "localhost"];
export const DEFAULT_PORT = 8787;

/**
 * Returns the key in `.dev.vars` if the URL is that of the gateway it was generated for. Any other recipient of the key could act as an
 * admin here.
 * @param {string} url the recipient of the key
 * @param {string} variable the environment variable with a key for other gateways
 * @param {string} folder of the project
 */
export async function localKeyFor(url, variable, folder = root) {
  const port = await localPort(folder);
  const origins = LOOPBACK.map((host) => `http://${host}:${port}`);
  if (!URL.canParse(url) || !origins.includes(new URL(url).origin)) {
    throw new Refusal(
      `The key in .dev.vars is for the gateway on this machine (${origins[0]}) and is not sent to ${url}. ` +
        `Set ${variable} to a key of that gateway.`,
    );
  }
  const key = (await readVariableFile(path.join(folder, ".dev.vars"))).GATEWAY_ADMIN_KEY;
  if (!key) throw new Refusal(`No key: set ${variable}, or start the gateway first (npm start).`);
  return key;
}

/** The gateway of this machine. */
export async function localUrl(folder = root) {
  return `http://127.0.0.1:${await localPort(folder)}`;
}

/** Returns the port of the gateway on the project's own state, from its lock. */
async function localPort(folder) {
  try {
    const { port } = JSON.parse(await readFile(path.join(folder, ".wrangler", "state", "gateway.lock"), "utf8"));
    return Number.isInteger(port) ? port : DEFAULT_PORT;
  } catch {
    // None runs, or another one is just taking over: the default port.
    return DEFAULT_PORT;
  }
}
