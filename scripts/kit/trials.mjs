// Installs and runs third-party programs for trials of the gateway. They are a separate package, installed by the first run of a command.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { Refusal, say } from "./refusal.mjs";
import { quiet } from "./wrangler.mjs";

/**
 * Installs the packages of a trial unless they are installed in these versions. Install scripts do not run.
 * @param {string} folder
 * @param {string} costs the size and the duration, for the message to the user
 */
export async function installTrials(folder, costs) {
  const { dependencies } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  for (const [name, version] of Object.entries(dependencies)) {
    const file = path.join(folder, "node_modules", name, "package.json");
    if (existsSync(file) && JSON.parse(await readFile(file, "utf8")).version === version) continue;
    say(`installing the packages of ${path.basename(folder)}/ (${costs})`);
    const args = ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"];
    if ((await runHere("npm", args, folder)) !== 0)
      throw new Refusal(`npm could not install the packages of ${path.basename(folder)}/. Its output is above.`);
    return;
  }
}

/**
 * Runs a command with the terminal of this one.
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<number>} its exit code
 */
export function runHere(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: "inherit", env: { ...process.env, ...quiet } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill(signal));
  return new Promise((done, failed) => child.once("error", failed).once("exit", (code) => done(code ?? 1)));
}

/**
 * Runs test files with vitest.
 * @param {string[]} args
 * @param {string} cwd
 */
export function runTests(args, cwd) {
  const script = path.join(path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  return runHere(process.execPath, [script, "run", ...args], cwd);
}
