// Makes the documents that come from code: docs/settings.md from the settings' schema. `--check` only says whether it is current.

import path from "node:path";
import { importTypeScript } from "./build/bundle.mjs";
import { readOrNull, root, writeWhole } from "./kit/files.mjs";

const target = path.join(root, "docs", "settings.md");

const text = settingsPage(await importTypeScript("src/domain/settings.ts"));
const current = await readOrNull(target);
if (process.argv.includes("--check")) {
  if (current !== text) {
    console.error("docs/settings.md is not current: run `npm run docs`.");
    process.exit(1);
  }
} else if (current !== text) {
  await writeWhole(target, text);
  console.log("wrote docs/settings.md");
}

/** @param {{ settingsSchema: any, parseSettings: any }} module */
function settingsPage({ settingsSchema, parseSettings }) {
  const { settings } = parseSettings({});
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const value = settings[name];
    const initial = value === undefined || (Array.isArray(value) && value.length === 0) ? "" : `\`${value}\``;
    return `| \`${name}\` | ${initial} | ${schema.description} |`;
  });
  return `# Settings

Made from \`src/domain/settings.ts\` by \`npm run docs\`; do not edit.

Locally they stand in \`.dev.vars\` (one \`NAME=value\` a line) or in the environment; deployed they are variables and secrets of the
Worker. An unknown name or an invalid value stops the start and names itself.

| name | default | meaning |
|---|---|---|
${rows.join("\n")}
`;
}
