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
    const initial =
      value === undefined || value === "" || (Array.isArray(value) && value.length === 0) ? "" : `\`${value}\``;
    return `| \`${name}\` | ${initial} | ${schema.description} |`;
  });
  return `# Settings

After reading this page you can look up every setting of the gateway, its default, and where to set it.

This page is generated from \`src/domain/settings/settings.ts\` by \`npm run docs\`. Do not edit it.

**Where to set them.** On your machine, use \`.dev.vars\` (one \`NAME=value\` per line) or environment variables, which take precedence. In a deployment, settings are variables and secrets of the Worker ([Operating](operate.md#settings)).

**Invalid settings.** The gateway does not start with an invalid value, and names the setting. An unknown name in \`.dev.vars\` or among the Worker's variables is an error too. In the environment, a name that is almost a setting is an error (\`SKILS_ENABLED\`), and a name that other programs also use is a warning (\`SECRET_KEY\`).

**Local defaults.** \`npm start\` and \`npm run dev\` create \`GATEWAY_ADMIN_KEY\` and \`SECRETS_KEY\` and save them in \`.dev.vars\`. They set \`LOG_REQUESTS\` to \`false\` and \`METRICS\` to \`on\`, unless you set them.

| Name | Default | Meaning |
|---|---|---|
${rows.join("\n")}
`;
}
