// Puts what users read where the gateway serves it: some of docs/ and the page in docs/reference/, as they are, into public/docs/; and
// /llms.txt, their map.

import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";

/** Those that say how to use or run a gateway; the rest is about its source. */
const SERVED = [
  "chat-endpoint.md",
  "cli.md",
  "console.md",
  "front-end.md",
  "limits.md",
  "mcp.md",
  "sdk.md",
  "settings.md",
  "sign-in.md",
  "skill-code.md",
  "storage.md",
];

/** The map in the order in which one reads: by what somebody has in hand, and a sentence on what each page says. */
const MAP = {
  "A chat": [
    ["chat-endpoint.md", "skills for a front end with a base URL setting"],
    ["sdk.md", "a typed client, and adapters for openai, @anthropic-ai/sdk and the AI SDK"],
    ["front-end.md", "a page that answers questions of skills and shows active skills"],
    ["mcp.md", "connecting MCP hosts to the gateway, and MCP servers to skills"],
    ["sign-in.md", "sign-in for MCP hosts, and tokens of your identity provider"],
  ],
  "A skill": [
    ["cli.md", "skillgate: write, check, test, publish and download skills"],
    ["console.md", "using and managing the gateway in a browser"],
    ["skill-code.md", "tools and scripts in JavaScript, Python and shell"],
  ],
  Reference: [
    ["api/README.md", "the HTTP API: conventions, errors, and a page for each resource"],
    ["settings.md", "what an operator may set"],
    ["limits.md", "sizes, quotas and rates"],
    ["storage.md", "what is stored where"],
  ],
};

/**
 * Makes public/docs/ exactly what it should be; files that are already right are left alone.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
 */
export async function prepareDocuments(folder = path.join(root, "public")) {
  const target = path.join(folder, "docs");
  const map = path.join(folder, "llms.txt");
  const text = await mapOf();
  const isMapCurrent = (await readOrNull(map)) === text;
  if (!isMapCurrent) await writeWhole(map, text);
  const page = path.join(root, "docs/reference");
  const sources = new Map([
    ...[...SERVED, ...(await apiPages())].map((name) => [name, path.join(root, "docs", name)]),
    ...(await listFiles(page)).map((name) => [name, path.join(page, name)]),
  ]);
  const written = await Promise.all(
    [...sources].map(async ([name, source]) => {
      const content = await readFile(source, "utf8");
      if ((await readOrNull(path.join(target, name))) === content) return false;
      await writeWhole(path.join(target, name), content);
      return true;
    }),
  );
  // A draft belongs to another run that is just writing it.
  const left = (await listFiles(target)).filter((name) => !sources.has(name) && !name.endsWith(".tmp"));
  await Promise.all(left.map((name) => rm(path.join(target, name), { force: true })));
  return !isMapCurrent || written.includes(true);
}

async function apiPages() {
  const files = await listFiles(path.join(root, "docs", "api"));
  return files.filter((name) => name.endsWith(".md")).map((name) => `api/${name}`);
}

/** `/llms.txt` (llmstxt.org): what this is, and where it is told. Links have no origin: whoever reads it knows which gateway it asked. */
async function mapOf() {
  const sections = await Promise.all(
    Object.entries(MAP).map(async ([title, pages]) => {
      const lines = await Promise.all(
        pages.map(async ([name, says]) => `- [${await titleOf(name)}](/docs/${name}): ${says}`),
      );
      return `## ${title}\n\n${lines.join("\n")}\n`;
    }),
  );
  return `# Skill Gateway

> Skills on demand for any chat front end or agent: a model sees a list of skills, loads one, and gets its instructions and tools.

Every operation with its schema, an example and whether it may be repeated is in [the OpenAPI document](/openapi.json); [the API reference](/docs/)
shows it to people.

${sections.join("\n")}`;
}

async function titleOf(name) {
  const [, title = name] = /^# (.+)$/m.exec(await readFile(path.join(root, "docs", name), "utf8")) ?? [];
  return title.replaceAll("`", "");
}
