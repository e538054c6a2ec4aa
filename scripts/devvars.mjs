// Settings for local runs: `.dev.vars`, which only this machine has, then the environment, checked with the Worker's own table.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { parseEnv } from "node:util";
import { writeWhole } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

const KEY_NAME = "GATEWAY_ADMIN_KEY";

/**
 * The variables of the Worker, or a refusal that names everything that is wrong. An empty value counts as none.
 * @param {string} file
 * @param {typeof import("../src/domain/settings")} table
 * @param {NodeJS.ProcessEnv} environment only names of the table are taken from it
 * @returns {Promise<Record<string, string>>}
 */
export async function readVariables(file, { settingsSchema, parseSettings }, environment = process.env) {
  const known = Object.keys(settingsSchema.shape).map((name) => [name, environment[name]]);
  const given = [...Object.entries(parseEnv(await readOrEmpty(file))), ...known.filter(([, value]) => value)];
  const variables = Object.fromEntries(given.filter(([, value]) => value !== ""));
  const { issues } = parseSettings(variables);
  if (issues.length === 0) return variables;
  const lines = issues.map((issue) => `  ${issue.message}`);
  throw new Refusal(`The settings in ${path.basename(file)} and the environment are not valid:\n${lines.join("\n")}`);
}

/**
 * The same with an admin key, made and stored if there is none. Only for the holder of the lock: of two starts at once each
 * would store a key of its own.
 * @returns {Promise<Record<string, string> & { GATEWAY_ADMIN_KEY: string }>}
 */
export async function variablesWithKey(file, table) {
  const variables = await readVariables(file, table);
  variables[KEY_NAME] ??= await makeKey(file, await readOrEmpty(file));
  return variables;
}

async function makeKey(file, text) {
  const key = `sgw_${randomBytes(32).toString("hex")}`;
  const kept = text.replace(new RegExp(`^\\s*${KEY_NAME}\\s*=.*\\n?`, "gm"), "");
  const separator = kept === "" || kept.endsWith("\n") ? "" : "\n";
  await writeWhole(file, `${kept}${separator}${KEY_NAME}="${key}"\n`, 0o600);
  return key;
}

async function readOrEmpty(file) {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

/** Text of a file that wrangler reads back as exactly these variables: it would expand a plain dollar sign. */
export function formatVariables(variables) {
  const lines = Object.entries(variables).map(([name, value]) => {
    const quote = ["'", '"', "`"].find((mark) => !value.includes(mark));
    if (quote === undefined) throw new Refusal(`${name} holds every kind of quotation mark; it cannot be passed on.`);
    return `${name}=${quote}${value.replaceAll("$", "\\$")}${quote}\n`;
  });
  return lines.join("");
}
