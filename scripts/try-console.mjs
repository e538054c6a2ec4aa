// `npm run try:console`: the journeys through the console in headless Chromium, by mouse and by keyboard, by day and by night, on a desk and
// on a phone, and all that is hostile opened in it. CI walks each journey in one of these manners only.
// usage: npm run try:console -- [--only <words>]

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
