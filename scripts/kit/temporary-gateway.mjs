// Starts the gateway of `npm start` in a temporary folder, for scripts that need the built product with its launcher.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { root } from "./files.mjs";

const ADMIN_KEY = "sgw_admin_key_of_a_temporary_gateway_only";

/**
 * Starts a gateway on a free port. `stop` ends it and deletes its folder.
 * @param {(line: string) => void} [onLine] receives each line that the launcher prints to stderr
 * @param {string[]} [more] further options of `npm start`
 * @returns {Promise<{ url: URL, key: string, stop(): Promise<void> }>}
 */
export async function startTemporaryGateway(onLine = () => {}, more = []) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "gateway-"));
  const vars = path.join(folder, "dev.vars");
  await writeFile(vars, `GATEWAY_ADMIN_KEY=${ADMIN_KEY}\nLOG_REQUESTS=false\nMCP_REGISTRY_URL=off\n`);
  const script = path.join(root, "scripts", "start.mjs");
  const options = ["--port", "0", "--state", path.join(folder, "state"), "--vars", vars, ...more];
  // What is measured or tried here does not depend on what the machine has.
  if (!more.includes("--executor")) options.push("--no-executor");
  const child = spawn(process.execPath, [script, ...options], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const printed = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    printed.push(line);
    onLine(line);
  });
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /^✔ ready at (http:.*)$/.exec(line) ?? [];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url: new URL(url), key: ADMIN_KEY, stop };
  }
  await stop();
  throw new Error(`The gateway did not start:\n${printed.join("\n")}`);
}
