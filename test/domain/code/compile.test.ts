// Compilation of a package's code without running it: reported problems, and the stored result.

import { describe, expect, it } from "vitest";
import { compilePackage } from "../../../src/domain/code/compile";
import { runnable } from "../../../src/domain/code/compiled";
import { resolveImport } from "../../../src/domain/code/graph";
import { readPackage } from "../../../src/domain/package/package";
import { type SkillFixture, skillZip } from "../../support/skill";

async function compile(skill: SkillFixture) {
  const { package: found } = await readPackage(skillZip(skill), {});
  return compilePackage(found!);
}

const PROVIDER = "provider: { module: provider, class: P }\ntools: [act]";
const of = (files: Record<string, string>, frontmatter = PROVIDER) => compile({ frontmatter, files });
/** Returns text that compresses badly. */
const noise = (length: number) =>
  Array.from(crypto.getRandomValues(new Uint8Array(65_536)), (byte) => byte.toString(16))
    .join("")
    .repeat(20)
    .slice(0, length);
const GOOD = "export class P {}";

describe("warnings", () => {
  it.each<[string, Record<string, string>, string, [code: string, path: string, line?: number][]]>([
    ["nothing wrong", { "provider.js": GOOD }, PROVIDER, []],
    [
      "a syntax error",
      { "provider.js": "export class P {}\nconst = 1" },
      PROVIDER,
      [["MODULE_INVALID", "provider.js", 2]],
    ],
    [
      "a syntax error in TypeScript",
      { "provider.ts": "export class P {\n  a: = 1\n}" },
      PROVIDER,
      [["MODULE_INVALID", "provider.ts", 2]],
    ],
    [
      "an import from outside",
      { "provider.js": `${GOOD}\nimport "zod";` },
      PROVIDER,
      [["MODULE_INVALID", "provider.js", 2]],
    ],
    [
      "an import of something wrong",
      { "provider.js": `${GOOD}\nimport "./lib.js";`, "lib.js": "import '../x.js'" },
      PROVIDER,
      [["MODULE_INVALID", "lib.js", 1]],
    ],
    [
      "a call of require",
      { "provider.js": `${GOOD}\nrequire("fs");` },
      PROVIDER,
      [["MODULE_INVALID", "provider.js", 2]],
    ],
    [
      "a look whether there is a require",
      { "provider.js": `${GOOD} if (typeof require == "f") require("fs");` },
      PROVIDER,
      [],
    ],
    [
      "data that is none",
      { "provider.js": `${GOOD} import d from "./d.json";`, "d.json": "{" },
      PROVIDER,
      [["MODULE_INVALID", "d.json"]],
    ],
    [
      "a class that is not exported",
      { "provider.js": "class P {}" },
      PROVIDER,
      [["PROVIDER_CLASS_MISSING", "provider.js"]],
    ],
    ["a class exported further down", { "provider.js": "export * from './p'", "p.ts": GOOD }, PROVIDER, []],
    [
      "no class named",
      { "provider.js": GOOD },
      "provider: { module: provider }\ntools: [act]",
      [["PROVIDER_CLASS_MISSING", "SKILL.md"]],
    ],
    ["tools without a provider", {}, "tools: [act]", [["TOOLS_WITHOUT_PROVIDER", "SKILL.md"]]],
    [
      "a provider without tools",
      { "provider.js": GOOD },
      "provider: { module: provider, class: P }",
      [["PROVIDER_WITHOUT_TOOLS", "SKILL.md"]],
    ],
    [
      "a script that is wrong",
      { "scripts/x.mjs": "import fs from 'fs'\nimport chalk from 'chalk'" },
      "tags: [a]",
      [["MODULE_INVALID", "scripts/x.mjs", 2]],
    ],
    [
      "scripts with what Node has, and with the package's own files",
      {
        "scripts/x.js": "const fs = require('node:fs'), y = require('../lib/y'), c = require(process.argv[2])",
        "lib/y.cjs": "module.exports = require('./z.json')",
        "lib/z.json": "{}",
      },
      "tags: [a]",
      [],
    ],
    [
      "a file that a script requires and that is not there",
      { "scripts/x.js": "require('./y')", "scripts/y.js": "\nrequire('./gone')" },
      "tags: [a]",
      [["MODULE_INVALID", "scripts/y.js", 2]],
    ],
    [
      "a page's script, which is meant for elsewhere",
      { "assets/x.js": "import 'https://cdn.example/x.js'" },
      "tags: [a]",
      [],
    ],
    [
      "a module too large",
      { "provider.js": `${GOOD}//${noise(1024 * 1024)}` },
      PROVIDER,
      [["MODULE_INVALID", "provider.js"]],
    ],
    [
      "nesting without end",
      { "provider.js": `${GOOD} const a = ${"[".repeat(20_000)}${"]".repeat(20_000)}` },
      PROVIDER,
      [["MODULE_INVALID", "provider.js"]],
    ],
  ])("%s", async (_, files, frontmatter, expected) => {
    const { warnings } = await of(files, frontmatter);
    expect(warnings.map(({ code, path, line }) => [code, path, ...(line === undefined ? [] : [line])])).toEqual(
      expected.map((row) => (row[0] === "MODULE_INVALID" && /nest/.test(_) ? [...row, 1] : row)),
    );
  });
});

describe("imports", () => {
  const paths = new Set(["a.js", "b.ts", "c/index.ts", "c/d.mjs", "e.json", "f.js", "f.ts", "g.txt"]);
  it.each([
    ["a.js", "./b", "b.ts"],
    ["a.js", "./b.js", "b.ts"],
    ["a.js", "./c", "c/index.ts"],
    ["a.js", "./c/", "c/index.ts"],
    ["c/d.mjs", ".", "c/index.ts"],
    ["c/d.mjs", "..", null],
    ["c/d.mjs", "../a.js", "a.js"],
    ["a.js", "./f", "f.js"],
    ["a.js", "./f.ts", "f.ts"],
    ["a.js", "./e.json", "e.json"],
    ["a.js", "./e", "e.json"],
    ["a.js", "./g.txt", null],
    ["a.js", "../a.js", null],
    ["a.js", "./c/../../a.js", null],
    ["a.js", "/a.js", null],
    ["a.js", "a.js", null],
    ["a.js", "https://example.com/a.js", null],
    ["a.js", "node:fs", null],
    ["a.js", "data:text/javascript,1", null],
    ["a.js", "./a.js?x", null],
    ["a.js", "./%62.ts", null],
  ])("in %s of '%s'", (from, specifier, target) => {
    expect(resolveImport(from, specifier, paths)).toBe(target);
  });
});

describe("the stored code", () => {
  it("is the code that runs: an entry with its dependencies, and nothing else", async () => {
    const { code } = await of({
      "provider.ts": 'import { a } from "./lib/a.js"; export class P { a: number = a }',
      "lib/a.ts": 'import d from "../d.json" with { type: "json" }; export const a = d;',
      "d.json": "1",
      "other.js": "1",
    });
    const found = runnable(code!, "provider.ts");
    expect(found).toEqual({
      entry: "skill/provider.ts.js",
      sources: {
        "skill/provider.ts.js": 'import { a } from "../skill/lib/a.ts.js"; export class P { a = a }',
        "skill/lib/a.ts.js": 'import d from "../../skill/d.json"; export const a = d;',
        "skill/d.json": "1",
      },
    });
  });

  it("has names that mean nothing to a loader", async () => {
    const { code } = await of({
      "provider.js": `import "./a b#c?d%20.js"; import "./provider.js.js"; ${GOOD}`,
      "a b#c?d%20.js": "1",
      "provider.js.js": "2",
    });
    const names = Object.values(code!.modules).map((module) => module.name);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^skill\/[\w./~-]+$/);
  });

  it("is nothing where there is no code", async () => {
    expect((await compile({ files: { "a.json": "{}", "x.py": "print()" } })).code).toBeNull();
  });
});
