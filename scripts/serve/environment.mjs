// The settings of `npm run serve`: `gateway.env` in the folder of its data, then the environment.

import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "../kit/refusal.mjs";
import { makeAll, readVariables } from "../local/devvars.mjs";

const FILE = "gateway.env";
const NEEDED = ["GATEWAY_ADMIN_KEY", "SECRETS_KEY"];

/** Writes new keys. An existing file is never replaced: without its SECRETS_KEY nobody can read the stored secrets again. */
export async function initialize(state) {
  const file = path.join(state, FILE);
  const lines = Object.entries(makeAll()).map(([name, value]) => `${name}="${value}"\n`);
  await mkdir(state, { recursive: true, mode: 0o700 });
  try {
    await writeFile(
      file,
      `# Settings of the gateway (docs/settings.md). Keep a copy in a safe place.\n${lines.join("")}`,
      {
        flag: "wx",
        mode: 0o600,
      },
    );
  } catch (error) {
    if (error.code === "EEXIST") throw new Refusal(`${file} exists already. It was not changed.`);
    throw error;
  }
  console.log(`✔ Wrote ${file} with GATEWAY_ADMIN_KEY and SECRETS_KEY. Start the gateway with --origin.`);
}

/**
 * Returns the variables of the Worker and the values of all settings. Throws an error that names everything that is wrong.
 * @param {{ state: string, origin: URL }} options
 * @param {typeof import("../../src/domain/settings/settings")} table
 */
export async function readServedVariables({ state, origin }, table) {
  const file = path.join(state, FILE);
  const found = await stat(file).catch((error) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (found === null && NEEDED.some((name) => !process.env[name]))
    throw new Refusal(`${file} does not exist. Create it with: npm run serve -- --state ${state} --init`);
  if (found !== null && (found.mode & 0o077) !== 0)
    throw new Refusal(`Other users of this machine can read ${file}. Run: chmod 600 ${file}`);
  const variables = await readVariables(file, table, process.env, {});
  const missing = NEEDED.filter((name) => variables[name] === undefined);
  if (missing.length > 0) throw new Refusal(`${file} has no ${missing.join(" and no ")}. Add a value.`);
  const { PUBLIC_ORIGIN = origin.origin } = variables;
  if (PUBLIC_ORIGIN !== origin.origin)
    throw new Refusal(`PUBLIC_ORIGIN is ${PUBLIC_ORIGIN}, but --origin is ${origin.origin}. Remove PUBLIC_ORIGIN.`);
  const given = { ...variables, PUBLIC_ORIGIN };
  return { variables: given, values: table.parseSettings(given).settings };
}
