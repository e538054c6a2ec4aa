// Runs the tests of the source tree with the static files that they need.
// usage: npm test [-- [--full] [path…] [option of vitest…]]

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { fail } from "./kit/refusal.mjs";
import { quiet } from "./kit/wrangler.mjs";

async function main() {
  await prepareAssets();
  const given = process.argv.slice(2);
  const args = given.filter((arg) => arg !== "--full");
  const isFull = args.length < given.length || args.some((arg) => !arg.startsWith("-"));
  const packageFile = createRequire(import.meta.url).resolve("vitest/package.json");
  const script = path.join(path.dirname(packageFile), "vitest.mjs");
  // `node:sqlite`, which some tests use, prints a warning.
  const options = `${process.env.NODE_OPTIONS ?? ""} --disable-warning=ExperimentalWarning`.trim();
  const vitest = spawn(process.execPath, [script, "run", ...(isFull ? [] : ["--tags-filter=!slow"]), ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...quiet, NODE_OPTIONS: options, TEST_SUITE: isFull ? "full" : "short" },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => vitest.kill(signal));
  vitest.once("exit", (code) => process.exit(code ?? 1));
}

main().catch(fail);
