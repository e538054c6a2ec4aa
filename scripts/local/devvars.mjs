// Settings for local runs: `.dev.vars`, then the environment, checked with the Worker's own table.

import { randomBytes } from "node:crypto";
import path from "node:path";
import { parseEnv } from "node:util";
import { readOrNull, writeWhole } from "../kit/files.mjs";
import { Refusal, say } from "../kit/refusal.mjs";
import { misspelt } from "./misspelt.mjs";

const ADMIN_KEY = "GATEWAY_ADMIN_KEY";
/** Functions that generate the values a local gateway creates and stores if they are not set. */
const MADE = {
  [ADMIN_KEY]: () => `sgw_${randomBytes(32).toString("hex")}`,
  SECRETS_KEY: () => randomBytes(32).toString("base64"),
};

/** By default a gateway of `npm start` counts metrics and does not log requests to the terminal. */
const LOCAL_DEFAULTS = { LOG_REQUESTS: "false", METRICS: "on" };

/**
 * Returns the variables of the Worker. Throws an error that lists everything that is wrong. An empty value counts as not set.
 * @param {string} file
 * @param {typeof import("../../src/domain/settings/settings")} table
 * @param {NodeJS.ProcessEnv} environment only names of the table are read from it; a name that nearly matches one is refused
 * @param {Record<string, string>} defaults that differ from those of the table
 * @returns {Promise<Record<string, string>>}
 */
export async function readVariables(
  file,
  { SETTINGS, parseSettings },
  environment = process.env,
  defaults = LOCAL_DEFAULTS,
) {
  const names = Object.keys(SETTINGS);
  const { wrong, doubtful } = misspelt(names, Object.keys(environment));
  const known = names.map((name) => [name, environment[name]]);
  const given = [...Object.entries(await readVariableFile(file)), ...known.filter(([, value]) => value)];
  const variables = {
    ...defaults,
    ...Object.fromEntries(given.filter(([, value]) => value !== "")),
  };
  // Checked with the values that are generated later, because a setting can require one of them.
  const { issues } = parseSettings({ ...makeAll(), ...variables });
  const lines = [
    ...issues.map((issue) => `  ${issue.message}`),
    ...wrong.map(({ name, meant }) => `  '${name}' in the environment is not a setting. Did you mean ${meant}?`),
  ];
  if (lines.length === 0) {
    for (const { name, meant } of doubtful)
      say(`${name} in the environment is ignored. The setting is called ${meant}.`);
    return variables;
  }
  throw new Refusal(`The settings in ${path.basename(file)} and the environment are not valid:\n${lines.join("\n")}`);
}

/**
 * Returns the variables with an admin key and a key for secrets, which are generated and stored if missing. The caller must own the lock:
 * otherwise two starts at the same time would each store their own keys.
 * @returns {Promise<{ variables: Record<string, string> & { GATEWAY_ADMIN_KEY: string }, isKeyNew: boolean, keyFile: string | null }>}
 * `isKeyNew`: the admin key was generated just now; `keyFile`: the file that stores it, or `null` if it is set in the environment
 */
export async function variablesWithKey(file, table) {
  const variables = await readVariables(file, table);
  const missing = Object.keys(MADE).filter((name) => variables[name] === undefined);
  const keyFile = process.env[ADMIN_KEY] ? null : file;
  if (missing.length === 0) return { variables, isKeyNew: false, keyFile };
  const made = makeAll(missing);
  const text = (await readOrNull(file)) ?? "";
  const kept = Object.keys(made).reduce(
    (rest, name) => rest.replace(new RegExp(`^\\s*${name}\\s*=.*\\n?`, "gm"), ""),
    text,
  );
  const separator = kept === "" || kept.endsWith("\n") ? "" : "\n";
  const lines = Object.entries(made).map(([name, value]) => `${name}="${value}"\n`);
  await writeWhole(file, `${kept}${separator}${lines.join("")}`, 0o600);
  return { variables: { ...variables, ...made }, isKeyNew: made[ADMIN_KEY] !== undefined, keyFile };
}

/** Returns new values of the settings that a gateway creates and stores. */
export function makeAll(names = Object.keys(MADE)) {
  return Object.fromEntries(names.map((name) => [name, MADE[name]()]));
}

/**
 * Returns the content of a file of variables. A missing file counts as empty.
 * @returns {Promise<Record<string, string | undefined>>}
 */
export async function readVariableFile(file) {
  return parseEnv((await readOrNull(file)) ?? "");
}

/** Returns a file that wrangler reads as exactly these variables; it would expand a plain dollar sign. */
export function formatVariables(variables) {
  const lines = Object.entries(variables).map(([name, value]) => {
    const quote = ["'", '"', "`"].find((mark) => !value.includes(mark));
    if (quote === undefined) throw new Refusal(`${name} contains all kinds of quotation marks. Remove one kind.`);
    return `${name}=${quote}${value.replaceAll("$", "\\$")}${quote}\n`;
  });
  return lines.join("");
}
