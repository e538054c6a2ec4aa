// `npm run try:sign-in`: MCP hosts from their own packages sign a user in at the built gateway, with its URL only and Chromium as the
// browser. Installs the hosts with its first run. usage: npm run try:sign-in -- [--only <host>]

import path from "node:path";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";
import { installTrials, runTests } from "./kit/trials.mjs";

const USAGE = `Use: npm run try:sign-in -- [--only <host>]
  --only   hosts whose names have this, such as codex; all of them otherwise`;

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  await installTrials(path.join(root, "test/trials", "sign-in"), "400 MB, 30 seconds");
  await prepareAssets();
  const only = values.only === undefined ? [] : ["-t", values.only.replaceAll(/[^\w @-]/g, ".")];
  process.exitCode = await runTests(["-c", "test/trials/sign-in/vitest.config.ts", ...only], root);
}

main().catch(fail);
