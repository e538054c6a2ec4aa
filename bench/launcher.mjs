// Starts the gateway of `npm start` in a temporary folder, for measurements that need its launcher and watchdog.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { root } from "../scripts/kit/files.mjs";

const ADMIN_KEY = "sgw_bench_admin_key_of_this_process_only";

/**
 * @param {(line: string) => void} [onLine] receives what the launcher prints to stderr
 * @returns {Promise<{ url: URL, key: string, stop(): Promise<void> }>}
 */
export async function startLauncher(onLine = () => {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "gateway-launcher-"));
  const vars = path.join(folder, "dev.vars");
  await writeFile(vars, `GATEWAY_ADMIN_KEY=${ADMIN_KEY}\nLOG_REQUESTS=false\n`);
  const script = path.join(root, "scripts", "start.mjs");
  const options = ["--port", "0", "--state", path.join(folder, "state"), "--vars", vars];
  const child = spawn(process.execPath, [script, ...options], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const said = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    said.push(line);
    onLine(line);
  });
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill("SIGTERM");
    await exit;
    await rm(folder, { recursive: true, force: true });
  };
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const ready = /^✔ ready at (http:.*)$/.exec(line);
    if (ready === null) continue;
    child.stdout.resume();
    return { url: new URL(ready[1]), key: ADMIN_KEY, stop };
  }
  await stop();
  throw new Error(`The gateway did not start:\n${said.join("\n")}`);
}
