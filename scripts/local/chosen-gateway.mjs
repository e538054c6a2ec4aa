// Selects the gateway and the key for a command: from the options, then the environment, then the gateway on this machine.

import { portOf } from "../kit/options.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { localKeyFor, localUrl } from "./key.mjs";

/**
 * @param {{ url?: string, key?: string, port?: string }} typed
 * @param {string} usage
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<{ url: string, key: string }>}
 */
export async function chosenGateway(typed, usage, environment = process.env) {
  const port = portOf(typed, usage);
  if (port !== null && typed.url !== undefined)
    throw new Refusal(`--port and --url exclude each other. Use --port for a gateway on this machine.\n${usage}`);
  const url = typed.url ?? (port === null ? environment.GATEWAY_URL || (await localUrl()) : `http://127.0.0.1:${port}`);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Refusal(`${url} is not the URL of a gateway, such as http://127.0.0.1:8787.\n${usage}`);
  const key = typed.key || environment.GATEWAY_KEY || (await localKeyFor(url, "GATEWAY_KEY or --key"));
  return { url: url.replace(/\/+$/, ""), key };
}

/** Returns the error of a command whose gateway does not respond. */
export function nothingAnswers(url, error) {
  return new Refusal(
    `${url} does not respond (${error.cause?.code ?? error.message}). Start the gateway with: npm start`,
  );
}
