import { describe, expect, it } from "vitest";
import { chooseVersion } from "../../src/domain/catalog/precedence";
import { newestFirst, parseReference, satisfiesRange } from "../../src/domain/reference";

describe("parseReference", () => {
  it.each<[string, [string, string] | null]>([
    ["mermaid-diagram", ["mermaid-diagram", "*"]],
    ["data-analysis@>=1.0.0", ["data-analysis", ">=1.0.0"]],
    [" data-analysis @ ^1.2 ", ["data-analysis", "^1.2"]],
    ["a@1.x || 2.x", ["a", "1.x || 2.x"]],
    ["技能@*", ["技能", "*"]],
    ["", null],
    ["@1.0.0", null],
    ["a@", null],
    ["a@ ", null],
    ["a@latest", null],
    ["a@1@2", null],
  ])("reads %j", (text, expected) => {
    const read = parseReference(text);
    expect(read === null ? null : [read.name, read.range]).toEqual(expected);
  });
});

describe("satisfiesRange", () => {
  it.each<[string | null, string, boolean]>([
    ["1.2.3", "*", true],
    [null, "*", true],
    ["tuesday", "*", true],
    ["1.2.3", "^1", true],
    ["2.0.0", "^1", false],
    ["v1.2.3", ">=1.0.0", true],
    ["tuesday", ">=0.0.0", false],
    [null, ">=0.0.0", false],
    ["1.2.3-beta.1", ">=1.0.0", false],
    ["1.2.3-beta.1", ">=1.2.3-alpha", true],
  ])("%j in %j: %j", (label, range, expected) => {
    expect(satisfiesRange(label, range)).toBe(expected);
  });

  it("orders newest first", () => {
    expect(["1.9.0", "1.10.0", "v2.0.0", "2.0.0-rc.1"].sort(newestFirst)).toEqual([
      "v2.0.0",
      "2.0.0-rc.1",
      "1.10.0",
      "1.9.0",
    ]);
  });
});

describe("chooseVersion", () => {
  const versions = [
    { version_id: "old", version: "1.0.0" },
    { version_id: "newer", version: "1.10.0" },
    { version_id: "middle", version: "1.9.0" },
    { version_id: "next", version: "2.0.0" },
    { version_id: "bare", version: null },
  ];
  it.each<[string, string, string[], string | null]>([
    ["the current one that fits", "middle", ["^1"], "middle"],
    ["else the newest that fits, by semver", "next", ["^1"], "newer"],
    ["what every range takes", "next", ["^1", "<1.10"], "middle"],
    ["the current one without a label for no range", "bare", [], "bare"],
    ["never one without a label for a range", "bare", [">=0"], "next"],
    ["nothing where nothing fits", "next", [">=3"], null],
  ])("accepts %s", (_, current, ranges, expected) => {
    expect(chooseVersion(current, versions, ranges)?.version_id ?? null).toBe(expected);
  });
});
