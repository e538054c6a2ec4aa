// Puts what users read where the gateway serves it: some of docs/ and the page in docs/reference/, as they are, into public/docs/; and
// /llms.txt, their map.

import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";

/** The pages about using and running a gateway. The other pages are about the source code. */
const SERVED = [
  "chat-endpoint.md",
  "cli.md",
  "console.md",
  "executor.md",
  "front-end.md",
  "limits.md",
  "mcp.md",
  "sdk.md",
  "settings.md",
  "sign-in.md",
  "skill-code.md",
  "storage.md",
];

/** The index in reading order: sections by what the reader has, and one sentence about each page. */
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
    ["executor.md", "scripts that need packages or programs"],
  ],
  Reference: [
    ["api/README.md", "the HTTP API: conventions, errors, and a page for each resource"],
    ["settings.md", "what an operator may set"],
    ["limits.md", "sizes, quotas and rates"],
    ["storage.md", "what is stored where"],
  ],
};

/**
 * Updates public/docs/ from the sources. Files that are current stay unchanged.
 * @param {string} folder the folder of static files
 * @returns {Promise<boolean>} whether a file was written
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
  // A file with this ending belongs to a concurrent run.
  const left = (await listFiles(target)).filter((name) => !sources.has(name) && !name.endsWith(".tmp"));
  await Promise.all(left.map((name) => rm(path.join(target, name), { force: true })));
  return !isMapCurrent || written.includes(true);
}

async function apiPages() {
  const files = await listFiles(path.join(root, "docs", "api"));
  return files.filter((name) => name.endsWith(".md")).map((name) => `api/${name}`);
}

/**
 * Returns `/llms.txt` (llmstxt.org): a description of the project and an index of its pages. Links have no origin: a reader resolves them
 * against the gateway that served the file.
 */
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
