// Starts the executor of `npm start`, if scripts can be confined on this machine.

import { randomBytes } from "node:crypto";
import { layersFrom } from "../../executor/packages.mjs";
import { serveExecutor } from "../../executor/server.mjs";
import { say } from "../kit/refusal.mjs";

/** A gateway without an executor of its own. */
export const NO_EXECUTOR = { variables: {}, row: null, prepare: () => {}, close: async () => {} };

/**
 * Opens the executor. A script never runs unconfined: if runs cannot be confined, the gateway starts without an executor, and `/health`
 * returns the reason.
 * @param {"on" | "off" | "auto"} mode `auto`: an executor that cannot start is no failure, and the attempts of a confined script to break out
 * are made in `prepare`, so that the start does not wait for them
 * @returns {Promise<{ variables: Record<string, string>, row: string | null, prepare: () => void, close: () => Promise<void> }>} `variables`:
 * settings of the gateway; `row`: the line about it in the output of the start
 */
export async function openExecutor(mode) {
  if (mode === "off") return NO_EXECUTOR;
  const key = randomBytes(32).toString("base64url");
  try {
    const opened = await serveExecutor({
      key,
      layers: layersFrom(process.env),
      checksFirst: mode === "auto" ? "start" : "all",
    });
    let isClosed = false;
    return {
      variables: { EXECUTOR_URL: opened.url, EXECUTOR_KEY: key },
      row: "bubblewrap, for scripts that need packages or programs  (--no-executor turns it off)",
      prepare() {
        opened.prepare().catch((error) => isClosed || say(`⚠ The executor refuses scripts: ${error.message}`));
      },
      close() {
        isClosed = true;
        return opened.close();
      },
    };
  } catch (error) {
    const { message } = error;
    if (mode === "on") {
      say(`⚠ No executor: ${message}`);
      return { ...NO_EXECUTOR, variables: { EXECUTOR_PROBLEM: message } };
    }
    const row = process.platform === "linux" ? `none. ${message}` : null;
    return { ...NO_EXECUTOR, variables: { EXECUTOR_ADVICE: message }, row };
  }
}
