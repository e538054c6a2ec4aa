// The admin key of the gateway on this machine, for scripts that talk to it, and to nobody else.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { readVariableFile } from "./devvars.mjs";

const LOOPBACK = ["127.0.0.1", "localhost"];
export const DEFAULT_PORT = 8787;

/**
 * The key in `.dev.vars`, if the URL is that of the gateway it was made for. Anybody else who got it could do here what an admin can.
 * @param {string} url where it would be sent
 * @param {string} variable the environment variable that gives a key for other gateways
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

/** Where the gateway on the project's own state serves, as its lock says. */
async function localPort(folder) {
  try {
    const { port } = JSON.parse(await readFile(path.join(folder, ".wrangler", "state", "gateway.lock"), "utf8"));
    return Number.isInteger(port) ? port : DEFAULT_PORT;
  } catch {
    // None runs, or just now another one takes over: the usual port.
    return DEFAULT_PORT;
  }
}
