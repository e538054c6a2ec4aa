// Files that are ignored because they are not part of a skill.

import { expect, it } from "vitest";
import { PACKAGE_LIMITS } from "../../../../src/domain/limits";
import { SKILL, type ZipEntry } from "../../../support/zip";
import { codes, honest, note } from "./read";

it.each([
  ".git/config",
  ".Git/hooks/x",
  "docs/.GIT/HEAD",
  ".git",
  "node_modules/a/index.js",
  "scripts/node_modules/.bin/x",
  "scripts/__pycache__/run.cpython-312.pyc",
  ".env",
  ".env.local",
  "config/.ENV.production",
  ".envrc",
  ".DS_Store",
  "docs/.DS_Store",
  "Thumbs.db",
  "docs/desktop.ini",
  "._SKILL.md",
])("%s is left out, and a warning names it", (path) => {
  const { entries, issues, warnings } = honest([SKILL, { ...note, name: `demo/${path}` }]);
  expect([issues, entries.map((entry) => entry.path)]).toEqual([[], ["demo/SKILL.md"]]);
  const part = /^.*?(?:\.git|node_modules|__pycache__)(?=\/)/i.exec(path)?.[0] ?? path;
  expect(warnings).toMatchObject([
    { code: "PLATFORM_FILES_DROPPED", message: expect.stringContaining(`demo/${part}`), path: `demo/${path}` },
  ]);
});

it.each([
  ".gitignore",
  ".github/x",
  ".env.example",
  ".env.sample",
  "git/x",
  "env",
  "my.env",
  "node_modules.md",
  "x/__MACOSX/y",
])("%s stays", (path) => {
  const { entries, warnings } = honest([SKILL, { ...note, name: `demo/${path}` }]);
  expect([entries.map((entry) => entry.path), warnings]).toEqual([["demo/SKILL.md", `demo/${path}`], []]);
});

it("is reported in one warning that lists folders once, at most ten", () => {
  const names = [".env", ...Array.from({ length: 31 }, (_, n) => `.git/objects/${n}`), ".DS_Store"];
  const { warnings } = honest([SKILL, { name: "demo/.git/" }, ...names.map((name) => ({ name: `demo/${name}` }))]);
  expect(warnings.map(({ message }) => message)).toEqual([
    "Files that do not belong to a skill were removed: demo/.env, demo/.git/ (31 files), demo/.DS_Store. Leave them out of the package.",
  ]);
  const many = honest([SKILL, ...Array.from({ length: 12 }, (_, n) => ({ name: `demo/${n}/.env` }))]).warnings;
  expect(many.map(({ message }) => message.includes("demo/9/.env and 2 more. "))).toEqual([true]);
});

it("counts for no limit, and is not unpacked", () => {
  const bad: ZipEntry[] = [
    { name: "demo/node_modules/.bin/link", mode: 0o120777, data: "../x" },
    { name: `demo/node_modules/${"deep/".repeat(60)}x` },
    { name: "demo/.git/broken", data: "x", crc: 1 },
    { name: "demo/.git/huge", size: PACKAGE_LIMITS.unpackedBytes * 2, method: 8 },
  ];
  expect(honest([SKILL, ...bad])).toMatchObject({ issues: [], entries: { length: 1 } });
});

it("is refused all the same where its path leads out", () => {
  for (const path of ["../.git/config", "/.env", "demo/../.git/x", "demo\\.git\\x"])
    expect(codes(honest([SKILL, { ...note, name: path }]).issues)[0]).toMatch(/^PATH_/);
});
