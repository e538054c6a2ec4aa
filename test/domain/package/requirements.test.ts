// Python packages that a skill declares, and what of them an executor lacks.

import { describe, expect, it } from "vitest";
import { missingIn } from "../../../src/domain/code/check/missing";
import {
  inlineRequirements,
  isSatisfied,
  requirementLines,
  requirementOf,
} from "../../../src/domain/package/requirements";
import { cpuTimeOf } from "../../support/cpu-time";

describe("requirements.txt", () => {
  it("has a package per line, without comments, options, hashes and continuations", () => {
    const text =
      "# tools\n-r other.txt\n--index-url https://example.com\nnumpy>=1.26,<3  # fast\r\n\nrequests==2.32.3 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nnumpy>=1.26,<3\n-e .\n";
    expect(requirementLines(text)).toEqual(["numpy>=1.26,<3", "requests==2.32.3"]);
  });

  it("is read up to a limit", () => {
    const text = Array.from({ length: 1_000 }, (_, n) => `package-${n}`).join("\n");
    expect(requirementLines(text)).toHaveLength(60);
    expect(requirementLines(`a${"b".repeat(300)}`)).toEqual([]);
  });
});

describe("inline script metadata", () => {
  it.each<[string, string, string[]]>([
    [
      "lists packages",
      '#!/usr/bin/env python3\n# /// script\n# requires-python = ">=3.11"\n# dependencies = [\n#   "requests<3", # http\n#   \'rich\',\n# ]\n# ///\nimport rich\n',
      ["requests<3", "rich"],
    ],
    ["can be on one line", '# /// script\n# dependencies = ["a", "b[x]>=1"]\n# ///\n', ["a", "b[x]>=1"]],
    ["can be without packages", '# /// script\n# requires-python = ">=3.11"\n# ///\n', []],
    ["ends at the first line that is no comment", '# /// script\n# dependencies = ["a"]\nx = 1\n# ///\n', []],
    ["of another type is not read", '# /// pyproject\n# dependencies = ["a"]\n# ///\n', []],
    ["in which the list does not end", '# /// script\n# dependencies = ["a",\n# ///\n', ["a"]],
  ])("%s", (_, source, expected) => {
    expect(inlineRequirements(source)).toEqual(expected);
  });

  it("is found in linear time", () => {
    const ms = cpuTimeOf(() => {
      inlineRequirements(`# /// script\n${"# \n".repeat(200_000)}`);
      inlineRequirements("# /// script\n# dependencies = [".repeat(20_000));
    });
    expect(ms).toBeLessThan(20_000);
  });
});

it.each<[string, ReturnType<typeof requirementOf>]>([
  ["numpy", { name: "numpy", versions: "" }],
  ["Python_Dateutil >= 2.8, < 3", { name: "python-dateutil", versions: ">=2.8,<3" }],
  ["requests[socks,http2] ~=2.0; python_version < '3.9'", { name: "requests", versions: "~=2.0" }],
  ["pkg (>=1.0)", { name: "pkg", versions: ">=1.0" }],
  ["pkg @ https://example.com/pkg.whl", { name: "pkg", versions: "" }],
  ["./local", null],
  ["https://example.com/x.whl", null],
  ["numpy and pandas", null],
  ["", null],
])("a requirement: %s", (text, expected) => {
  expect(requirementOf(text)).toEqual(expected);
});

it.each<[string, string, boolean]>([
  ["1.24.2", "", true],
  ["1.24.2", ">=1.24", true],
  ["1.24.2", ">=1.24,<1.24.2", false],
  ["2.0", "==2.0.0", true],
  ["2.0.1", "==2.0.*", true],
  ["2.1", "==2.0.*", false],
  ["2.1", "!=2.1.0", false],
  ["2.1", "!=2.0.*", true],
  ["1.9", "~=1.4", true],
  ["2.0", "~=1.4", false],
  ["1.4.9", "~=1.4.5", true],
  ["1.5.0", "~=1.4.5", false],
  ["10.0", ">9", true],
  ["9.0", ">9", false],
  ["3.0.0+dfsg", "<=3", true],
  ["weird", ">=3", true],
])("version %s and %j", (version, versions, expected) => {
  expect(isSatisfied(version, versions)).toBe(expected);
});

it("what an executor lacks is named with its kind", () => {
  const offer = {
    modules: new Set(["json", "numpy"]),
    packages: new Map([["numpy", "1.24.2"]]),
    commands: new Set(["git"]),
  };
  expect(missingIn(offer, {})).toEqual([]);
  const needs = {
    modules: ["numpy", "yaml"],
    requirements: ["numpy>=1.20", "NumPy>=2", "PyYAML", "not a requirement"],
    commands: ["git", "pandoc"],
  };
  expect(missingIn(offer, needs)).toEqual([
    "Python module yaml",
    "Python package numpy>=2 (has 1.24.2)",
    "Python package pyyaml",
    "command pandoc",
  ]);
});
