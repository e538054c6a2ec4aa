// Writes the generated parts of the documents: docs/settings.md, and the text between `<!-- generated: … -->` marks in docs/api/. `--check`
// only reports whether they are current.

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { importTypeScript } from "./build/bundle.mjs";
import { openApiText } from "./build/openapi.mjs";
import { errorTables } from "./docs/error-tables.mjs";
import { Operations } from "./docs/operations.mjs";
import { sourceErrors } from "./docs/source-errors.mjs";
import { readOrNull, root, writeWhole } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";

const USAGE = `Use: npm run docs -- [--check]
  --check   write nothing; report whether the generated documents are current`;
const GENERATED = /(<!-- generated: ([\w ,.]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g;

const { values } = options();
const texts = new Map([["docs/settings.md", settingsPage(await importTypeScript("src/domain/settings/settings.ts"))]]);
for (const [name, text] of await apiPages()) texts.set(name, text);
for (const [name, text] of texts) {
  const file = path.join(root, name);
  if ((await readOrNull(file)) === text) continue;
  if (values.check) {
    console.error(`${name} is not current: run \`npm run docs\`.`);
    process.exitCode = 1;
  } else {
    await writeWhole(file, text);
    console.log(`wrote ${name}`);
  }
}

/** The pages of the API, each with its generated parts as they should be. */
async function apiPages() {
  const folder = path.join(root, "docs", "api");
  const [text, errors, { needOf }, names, examples] = await Promise.all([
    openApiText(),
    sourceErrors(),
    importTypeScript("src/domain/access/key-scope.ts"),
    readdir(folder),
    readFile(path.join(folder, "examples.json"), "utf8"),
  ]);
  const document = JSON.parse(text);
  const operations = new Operations(document, needOf, errors, JSON.parse(examples));
  const write = {
    table: (tags) => operations.table(tags),
    operations: (tags) => operations.sections(tags),
    errors: () => errorTables(errors),
    example: (names) => names.map((name) => operations.example(name)).join("\n\n"),
  };
  const covered = new Set();
  const pages = await Promise.all(
    names
      .filter((name) => name.endsWith(".md"))
      .map(async (name) => {
        const text = await readFile(path.join(folder, name), "utf8");
        const made = text.replace(GENERATED, (_, begin, what, end) => {
          const [kind = "", ...tags] = what.split(/[ ,]+/);
          if (kind === "operations") for (const tag of tags) covered.add(tag);
          return `${begin}${write[kind](tags)}\n${end}`;
        });
        return [`docs/api/${name}`, made];
      }),
  );
  const missing = document.tags.map(({ name }) => name).filter((name) => !covered.has(name));
  if (missing.length > 0) throw new Error(`No page of docs/api/ has the operations of: ${missing.join(", ")}`);
  return pages;
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
    const isNothing = value === undefined || ["", "[]", "{}"].includes(JSON.stringify(value).replaceAll('"', ""));
    const initial = isNothing ? "" : `\`${value}\``;
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
