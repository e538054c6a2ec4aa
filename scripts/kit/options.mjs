// How every command here reads what was typed: one parser, the same names for the same things, `--help`, and no unknown option.

import { parseArgs } from "node:util";
import { Refusal } from "./refusal.mjs";

const text = { type: "string" };
/** Options that several commands have, so that they mean the same in each. */
export const PORT = { port: text };
export const STATE = { state: text };
export const VARS = { vars: text };
export const YES = { yes: { type: "boolean" } };
/** Which gateway to talk to, and as whom: also in `GATEWAY_URL` and `GATEWAY_KEY`. */
export const GATEWAY = { url: text, key: text, ...PORT };

/**
 * The options and what else was typed. `--help` prints the usage and ends the process with 0; what is not known is refused with it.
 * @param {string} usage
 * @param {import("node:util").ParseArgsConfig["options"]} options
 * @param {{ args?: string[], positionals?: number }} [typed] `positionals`: how many there may be
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
  if (typed.positionals.length > most) throw new Refusal(`What is ${typed.positionals[most]}?\n${usage}`);
  return typed;
}

/** A port that was typed, as a number; `null` where none was. */
export function portOf({ port }, usage) {
  if (port === undefined) return null;
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535) throw new Refusal(`--port ${port} is not a port.\n${usage}`);
  return number;
}
