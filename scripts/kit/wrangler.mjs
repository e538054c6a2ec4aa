// Runs the wrangler of node_modules quietly: no telemetry, no update check, no log files, no questions.

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, writeWhole } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

const packageFile = createRequire(import.meta.url).resolve("wrangler/package.json");
const script = path.join(path.dirname(packageFile), "bin", "wrangler.js");

export const quiet = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  // Otherwise wrangler fetches an example of request.cf from a Cloudflare server and records every local request.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  X_LOCAL_OBSERVABILITY: "false",
};

/** Tells scripts/build.mjs, which wrangler runs before it deploys, that the release was just built. */
export const BUILT = { SKILL_GATEWAY_BUILT: "release" };

/** Starts wrangler with Node's own `spawn` options. */
export function spawnWrangler(args, options = {}) {
  return spawn(process.execPath, [script, ...args], {
    cwd: root,
    ...options,
    env: { ...process.env, ...quiet, CI: "1", ...options.env },
  });
}

/**
 * Runs wrangler to its end.
 * @param {{ input?: string, env?: NodeJS.ProcessEnv, show?: boolean, ask?: boolean }} [options] `show`: pass on its output; `ask`: let it
 * prompt the user at the terminal
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function runWrangler(args, { input, env, show = false, ask = false } = {}) {
  const child = spawnWrangler(args, {
    env: ask ? { ...env, CI: undefined } : env,
    stdio: ask ? "inherit" : ["pipe", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name]?.setEncoding("utf8").on("data", (text) => {
      output[name] += text;
      if (show) process.stderr.write(text);
    });
  }
  child.stdin?.end(input ?? "");
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...output }));
  });
}

/**
 * Deploys code and secrets in one version, and returns the Worker's address.
 * @param {string[]} args the arguments of `wrangler deploy`
 * @param {Record<string, string>} secrets
 */
export async function deployWorker(args, secrets) {
  const folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-deploy-"));
  const [secretsFile, outputFile] = [path.join(folder, "secrets.json"), path.join(folder, "output.json")];
  try {
    await writeWhole(secretsFile, JSON.stringify(secrets), 0o600);
    const withSecrets = Object.keys(secrets).length > 0 ? ["--secrets-file", secretsFile] : [];
    const env = { ...BUILT, WRANGLER_OUTPUT_FILE_PATH: outputFile };
    const { code } = await runWrangler(["deploy", ...args, ...withSecrets], { show: true, env });
    if (code !== 0) throw new Refusal("wrangler deploy failed.");
    const entries = (await readFile(outputFile, "utf8")).trim().split("\n");
    const deployed = entries.map((line) => JSON.parse(line)).find((entry) => entry.type === "deploy");
    const url = deployed?.targets?.find((target) => target.startsWith("https://"));
    if (url === undefined) throw new Refusal("The Worker is deployed, but wrangler printed no URL.");
    return url;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
