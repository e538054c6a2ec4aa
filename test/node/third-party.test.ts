// THIRD_PARTY.md names what is shipped: every package that the build puts into static files, with the version that is installed.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { bundle, WORKERD } from "../../scripts/build/bundle.mjs";
import { root } from "../../scripts/kit/files.mjs";

let page: string;
beforeAll(async () => {
  page = await readFile(path.join(root, "THIRD_PARTY.md"), "utf8");
});

interface Manifest {
  version: string;
  license: string;
}

const manifestOf = async (name: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(root, "node_modules", name, "package.json"), "utf8")) as Manifest;

/** Packages whose files are copied, unchanged or edited, without a bundler. */
const COPIED = ["pyodide", "mermaid", "js-tiktoken"];

it.each(COPIED)("names %s, with its version and licence", async (name) => {
  const { version, license } = await manifestOf(name);
  const row = page.split("\n").find((line) => line.includes(`${name}`) && line.includes(` ${version} `));
  expect(row ?? `no row names ${name} ${version}`).toContain(license);
});

it.each([
  "src/sandbox/guest/node/main.js",
  "src/sandbox/guest/shell/main.js",
  "src/domain/code/compile.ts",
  "sdk/src/client/skill-gateway.ts",
  "sdk/cli/bin.ts",
  "console/src/main.tsx",
])("names every package that is bundled with %s", { tags: ["slow"] }, async (entry) => {
  const { metafile } = await bundle({
    ...WORKERD,
    platform: "node",
    conditions: [],
    entryPoints: [entry],
    metafile: true,
    write: false,
  });
  const names = Object.keys(metafile?.inputs ?? {}).flatMap((input) => {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input) ?? [];
    return name === undefined ? [] : [name.startsWith("@jsonjoy.com/") ? "@jsonjoy.com" : name];
  });
  expect(Object.keys(metafile?.inputs ?? {})).toContain(entry);
  const missing = [...new Set(names)].filter((name) => !page.includes(name));
  expect(missing).toEqual([]);
});

it("lists the installed versions and their licences", async () => {
  const named = [...page.matchAll(/\[([\w.-]+)\]\(https:\/\/github\.com\/[\w./-]+\) (\d+\.\d+\.\d+) \(npm\)/g)];
  expect(named.length).toBeGreaterThanOrEqual(6);
  for (const [, name = "", version] of named) expect([name, (await manifestOf(name)).version]).toEqual([name, version]);
});
