// Makes the documents that come from code: docs/settings.md from the settings' schema. `--check` only says whether it is current.

import path from "node:path";
import { importTypeScript } from "./build/bundle.mjs";
import { readOrNull, root, writeWhole } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";

const USAGE = `Use: npm run docs -- [--check]
  --check   write nothing; say whether docs/settings.md is current`;
const target = path.join(root, "docs", "settings.md");

const { values } = options();
const text = settingsPage(await importTypeScript("src/domain/settings/settings.ts"));
const current = await readOrNull(target);
if (values.check) {
  if (current !== text) {
    console.error("docs/settings.md is not current: run `npm run docs`.");
    process.exit(1);
  }
} else if (current !== text) {
  await writeWhole(target, text);
  console.log("wrote docs/settings.md");
}

function options() {
  try {
    return readOptions(USAGE, { check: { type: "boolean" } });
  } catch (error) {
    return fail(error);
  }
}

/** @param {{ SETTINGS: any, parseSettings: any }} module */
function settingsPage({ SETTINGS, parseSettings }) {
  const { settings } = parseSettings({});
  const rows = Object.entries(SETTINGS).map(([name, schema]) => {
    const value = settings[name];
    const initial = value === undefined || (Array.isArray(value) && value.length === 0) ? "" : `\`${value}\``;
    return `| \`${name}\` | ${initial} | ${schema.description} |`;
  });
  return `# Settings

Made from \`src/domain/settings/settings.ts\` by \`npm run docs\`; do not edit.

Locally they stand in \`.dev.vars\` (one \`NAME=value\` a line) or in the environment, which goes first; deployed they are variables and
secrets of the Worker ([operate.md](operate.md)). An invalid value stops the start and names itself. So does an unknown name in
\`.dev.vars\` or among the Worker's variables. In the environment, where other programs' names stand as well, only a name that is nearly
one of these does (\`SKILS_ENABLED\`); one near to a name that other programs have, too (\`SECRET_KEY\`), is only told of.

\`npm start\` and \`npm run dev\` differ from the table: \`GATEWAY_ADMIN_KEY\` and \`SECRETS_KEY\` are made and kept in \`.dev.vars\` when
nobody gave them, \`LOG_REQUESTS\` is \`false\`, since a terminal is no log, and \`METRICS\` is \`on\`.

| name | default | meaning |
|---|---|---|
${rows.join("\n")}
`;
}
