// What `npm run serve` puts around the Worker: rate counters, a check that requests came through its server, and a network without private
// addresses.

import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { workerConfig } from "../local/runtime.mjs";

/**
 * @typedef {{ origin: string, addresses: string[] }} Destination an origin that the operator allows, with its addresses
 * @typedef {{ key: string, allowed: readonly Destination[] }} Served `key`: what a request must have in `request.cf`
 */

export const OUTBOUND = "outbound";
const FOLDER = path.join(import.meta.dirname, "worker");

/**
 * Resolves the hosts that the operator allows, once.
 * @param {readonly string[]} urls
 * @param {(name: string) => Promise<string[]>} resolve
 * @returns {Promise<Destination[]>}
 */
export async function resolveDestinations(urls, resolve = addressesOf) {
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  return Promise.all(
    origins.map(async (origin) => {
      const host = new URL(origin).hostname.replace(/^\[|\]$/g, "");
      return { origin, addresses: isIP(host) === 0 ? await resolve(host) : [host] };
    }),
  );
}

/** An unknown name has no addresses: its requests fail later with the reason. */
async function addressesOf(name) {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/**
 * The Worker through which the gateway's requests leave this machine. Its network rejects private addresses after a name is resolved, too.
 * Each allowed origin has a network of its own, so that no other name reaches its addresses.
 */
export function outboundWorker(config, { allowed }) {
  const names = Object.fromEntries(allowed.map(({ origin }, n) => [origin, `NETWORK_${n}`]));
  const source = `const names = ${JSON.stringify(names)};
export default { fetch: (request, env) => env[names[new URL(request.url).origin] ?? "NETWORK"].fetch(request) };
`;
  const network = (addresses = []) => ({
    type: "network",
    allow: ["public", ...addresses.map((address) => `${address}/${isIP(address) === 6 ? 128 : 32}`)],
    deny: [],
    tlsOptions: { trustBrowserCas: true },
  });
  const named = allowed.map(({ origin, addresses }) => [names[origin], network(addresses)]);
  return {
    config: {
      ...workerConfig(config, OUTBOUND, { "outbound.js": source }),
      env: { NETWORK: network(), ...Object.fromEntries(named) },
    },
  };
}

/** The module that makes puts to R2 durable. */
export const readDurableModule = () => readFile(path.join(FOLDER, "durable.js"), "utf8");

/**
 * Returns the modules that run before `main`, the first one first.
 * @param {{ ratelimits?: { name: string, simple: { limit: number, period: number } }[] }} config wrangler.toml
 * @param {Served} served
 * @param {string} main
 */
export async function servedModules({ ratelimits = [] }, { key }, main) {
  const [entry, counter] = await Promise.all(
    ["entry.js", "counter.js"].map((name) => readFile(path.join(FOLDER, name), "utf8")),
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
