// What `npm run serve` puts around the Worker: rate counters, a check that requests came through its server, and a network without private
// addresses.

import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { workerConfig } from "../local/runtime.mjs";

/** @typedef {{ key: string, allowed: readonly string[] }} Served `key`: what a request must have in `request.cf`; `allowed`: networks */

export const OUTBOUND = "outbound";

/**
 * Returns the networks that the Worker can reach: public addresses, and those of the model hosts that the operator allows. Names are
 * resolved once.
 * @param {readonly string[]} origins MODEL_HOSTS
 * @param {(name: string) => Promise<string[]>} resolve
 * @returns {Promise<string[]>} for workerd's `network.allow`
 */
export async function reachableNetworks(origins, resolve = addressesOf) {
  const hosts = [...new Set(origins.map((origin) => new URL(origin).hostname.replace(/^\[|\]$/g, "")))];
  const found = await Promise.all(hosts.map((host) => (isIP(host) === 0 ? resolve(host) : [host])));
  return ["public", ...new Set(found.flat().map((address) => `${address}/${isIP(address) === 6 ? 128 : 32}`))];
}

/** An unknown name has no addresses: its requests fail later with the reason. */
async function addressesOf(name) {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** The Worker through which the gateway's requests leave this machine. Its network rejects other addresses after a name is resolved, too. */
export function outboundWorker(config, { allowed }) {
  const source = "export default { fetch: (request, env) => env.NETWORK.fetch(request) };\n";
  const network = { type: "network", allow: [...allowed], deny: [], tlsOptions: { trustBrowserCas: true } };
  return { config: { ...workerConfig(config, OUTBOUND, { "outbound.js": source }), env: { NETWORK: network } } };
}

/**
 * Returns the modules that run before `main`, the first one first.
 * @param {{ ratelimits?: { name: string, simple: { limit: number, period: number } }[] }} config wrangler.toml
 * @param {Served} served
 * @param {string} main
 */
export async function servedModules({ ratelimits = [] }, { key }, main) {
  const folder = path.join(import.meta.dirname, "worker");
  const [entry, counter] = await Promise.all(
    ["entry.js", "counter.js"].map((name) => readFile(path.join(folder, name), "utf8")),
  );
  const rates = Object.fromEntries(ratelimits.map(({ name, simple }) => [name, simple]));
  const constants = `export const KEY = ${JSON.stringify(key)};\nexport const RATES = ${JSON.stringify(rates)};\n`;
  return {
    "entry.js": entry,
    "counter.js": counter,
    "constants.js": constants,
    "gateway.js": `export { default } from "./${main}";\nexport * from "./${main}";\n`,
  };
}
