// Parses the command lines of all scripts: one parser, common option names, `--help`, and an error for unknown options.

import { parseArgs } from "node:util";
import { Refusal } from "./refusal.mjs";

const text = { type: "string" };
/** Options that several commands share. */
export const PORT = { port: text };
export const STATE = { state: text };
export const VARS = { vars: text };
export const YES = { yes: { type: "boolean" } };
/** Whether scripts run with bubblewrap on this machine. */
export const EXECUTOR = {
  executor: { type: "boolean", default: false },
  "no-executor": { type: "boolean", default: false },
};
/** The gateway to call and the key to use. Also read from `GATEWAY_URL` and `GATEWAY_KEY`. */
export const GATEWAY = { url: text, key: text, ...PORT };

/**
 * Returns the options and the positional arguments. `--help` prints the usage and exits with 0. Unknown options are refused, with the
 * usage.
 * @param {string} usage
 * @param {import("node:util").ParseArgsConfig["options"]} options
 * @param {{ args?: string[], positionals?: number }} [typed] `positionals`: the highest number of positional arguments
 */
export function readOptions(usage, options, { args = process.argv.slice(2), positionals: most = 0 } = {}) {
  let typed;
  try {
    typed = parseArgs({
      args,
      allowPositionals: most > 0,
      options: { ...options, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    throw new Refusal(`${error.message}\n${usage}`);
  }
  if (typed.values.help) {
    console.log(usage);
    process.exit(0);
  }
  if (typed.positionals.length > most) throw new Refusal(`Unexpected argument: ${typed.positionals[most]}\n${usage}`);
  return typed;
}

/** Returns the port option as a number; `null` if it is not set. */
export function portOf({ port }, usage) {
  if (port === undefined) return null;
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535)
    throw new Refusal(`--port ${port} is not a port number (0 to 65535).\n${usage}`);
  return number;
}

/** @returns {"on" | "off" | "auto"} */
export function executorOf(values, usage) {
  if (values.executor && values["no-executor"])
    throw new Refusal(`--executor and --no-executor exclude each other.\n${usage}`);
  return values.executor ? "on" : values["no-executor"] ? "off" : "auto";
}
