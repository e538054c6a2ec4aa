// `npm run try:console`: tests the console in headless Chromium, by mouse and keyboard, in light and dark mode, on desktop and phone sizes,
// and with hostile content. CI runs each journey in one of these variants. usage: npm run try:console -- [--only <words>]

import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";
import { runTests } from "./kit/trials.mjs";

const USAGE = `Use: npm run try:console -- [--only <words>]
  --only   what has these words in its name, such as "keyboard, dark"; everything otherwise`;

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  await prepareAssets();
  const only = values.only === undefined ? [] : ["-t", values.only.replaceAll(/[^\w ,@-]/g, ".")];
  process.exitCode = await runTests(["-c", "test/trials/console/vitest.config.ts", ...only], root);
}

main().catch(fail);
