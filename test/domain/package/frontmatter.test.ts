import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PACKAGE_LIMITS } from "../../../src/domain/limits";
import { readFrontmatter } from "../../../src/domain/package/frontmatter";

const read = async (text: string) => {
  const { frontmatter, issues, warnings } = await readFrontmatter(text);
  const brief = (list: typeof issues) => list.map(({ code, line }) => (line === undefined ? code : `${code}:${line}`));
  return {
    fields: frontmatter?.fields,
    body: frontmatter?.body,
    issues: brief(issues),
    warnings: brief(warnings),
    frontmatter,
  };
};
const yaml = (text: string) => read(`---\n${text}\n---\nbody\n`);

describe("the two parts", () => {
  it("are split at the first closing line; later lines belong to the body", async () => {
    expect(await read("---\na: 1\n---\n\none\n\n---\n\ntwo\n---\n")).toMatchObject({
      fields: { a: 1 },
      body: "one\n\n---\n\ntwo\n---",
      issues: [],
      warnings: [],
    });
  });

  it("may have a BOM and Windows line endings", async () => {
    const text = '\ufeff---\r\na: "x"\r\nb: |\r\n  one\r\n  two\r\n---\r\nbody\r\nmore\r\n';
    expect(await read(text)).toMatchObject({
      fields: { a: "x", b: "one\ntwo\n" },
      body: "body\r\nmore",
      issues: [],
      warnings: ["TEXT_BOM", "TEXT_CRLF"],
    });
  });

  it("may end with the closing line, and have blanks behind the dashes", async () => {
    expect(await read("--- \na: 1\n---  ")).toMatchObject({
      fields: { a: 1 },
      body: "",
      warnings: ["INSTRUCTIONS_EMPTY"],
    });
  });

  it.each(["\n", " \n\r\n\t\n", "<!-- one -->\n", "\n<!--\na: 0\n---\n-->\n\n<!-- two --> \n"])(
    "may come after blank lines and comments: %j",
    async (before) => {
      const { fields, body, warnings, frontmatter } = await read(`${before}---\na: 1\nb: 2\n---\nbody`);
      expect([fields, body]).toEqual([{ a: 1, b: 2 }, "body"]);
      expect(warnings.filter((code) => code.startsWith("FRONT"))).toEqual(["FRONTMATTER_NOT_FIRST"]);
      expect(frontmatter?.places.get("b")?.line).toBe(before.split("\n").length + 2);
    },
  );

  it("are not split inside a value", async () => {
    expect((await read("---\na: x --- y\nb: '\u2028---'\n---\nz")).fields).toEqual({ a: "x --- y", b: "\u2028---" });
  });

  it.each([
    ["# Title\n", ["FRONTMATTER_MISSING:1"]],
    ["<!-- note\n---\na: 1\n---\n", ["FRONTMATTER_MISSING:1"]],
    ["<!-- note --> text\n---\na: 1\n---\n", ["FRONTMATTER_MISSING:1"]],
    ["# Title\n---\na: 1\n---\n", ["FRONTMATTER_MISSING:1"]],
    ["---", ["FRONTMATTER_MISSING:1"]],
    ["---\na: 1\n", ["FRONTMATTER_UNCLOSED:1"]],
    ["---\na: 1\n----\n", ["FRONTMATTER_UNCLOSED:1"]],
  ])("%j is refused", async (text, issues) => {
    expect((await read(text)).issues).toEqual(issues);
  });

  it("have their limits", async () => {
    const comment = `#${"x".repeat(PACKAGE_LIMITS.frontmatterBytes)}`;
    expect((await yaml(comment)).issues).toEqual(["FRONTMATTER_TOO_LARGE:1"]);
    const body = "é".repeat(PACKAGE_LIMITS.instructionBytes / 2);
    expect((await read(`---\na: 1\n---\n${body}\n\n`)).issues).toEqual([]);
    expect((await read(`---\na: 1\n---\n${body}x`)).issues).toEqual(["INSTRUCTIONS_TOO_LARGE"]);
  });
});

describe("YAML", () => {
  it("is of the core schema and becomes JSON", async () => {
    const text =
      'date: 2024-01-02\nyes: yes\nflag: true\nnone: ~\nnumber: 0x10\nlist: [a, 1]\nmap: {a: {b: "c"}}\n1.10: key';
    expect(await yaml(text)).toMatchObject({
      fields: {
        date: "2024-01-02",
        yes: "yes",
        flag: true,
        none: null,
        number: 16,
        list: ["a", 1],
        map: { a: { b: "c" } },
        "1.10": "key",
      },
      issues: [],
    });
  });

  it("knows the line of every key, and numbers as they were written", async () => {
    const { frontmatter } = await yaml("version: 1.10\nmcpServers:\n  a:\n    url: x\nlist:\n  - name: y");
    expect(frontmatter?.places.get("version")).toEqual({ line: 2, source: "1.10" });
    expect(frontmatter?.places.get("mcpServers.a.url")?.line).toBe(5);
    expect(frontmatter?.places.get("list.0.name")?.line).toBe(7);
  });

  it.each([
    ["a: [", ["FRONTMATTER_YAML:2"]],
    ["a: 1\nb: 'x", ["FRONTMATTER_YAML:3"]],
    ["a:\n\tb: 1", ["FRONTMATTER_YAML:3"]],
    ["- a\n- b", ["FRONTMATTER_NOT_MAPPING:1"]],
    ["just text", ["FRONTMATTER_NOT_MAPPING:1"]],
    ["", ["FRONTMATTER_NOT_MAPPING:1"]],
    ["a: 1\nb: 2\na: 3", ["FRONTMATTER_KEY:4"]],
    ["1: a\n'1': b", ["FRONTMATTER_KEY:3"]],
    ["? [a]\n: b", ["FRONTMATTER_KEY:2"]],
    ["a: !custom x", ["FRONTMATTER_TAG:2"]],
    ["a: !!binary aGk=", ["FRONTMATTER_TAG:2"]],
    ["a: *none", ["FRONTMATTER_ALIAS:2"]],
    ["a: &x [*x]", ["FRONTMATTER_ALIAS:2"]],
    ["a: 1\n...\nb: 2", ["FRONTMATTER_YAML:4"]],
  ])("%j is refused with its line", async (text, issues) => {
    expect((await yaml(text)).issues).toEqual(issues);
  });

  it("reads hints of arguments as their authors mean them", async () => {
    const { fields, warnings } = await yaml("argument-hint: [date] [duration]\nb: [x] # a list");
    expect([fields, warnings]).toEqual([
      { "argument-hint": "[date] [duration]", b: ["x"] },
      ["FRONTMATTER_REPAIRED:2"],
    ]);
  });

  it("reports one mistake once", async () => {
    expect((await yaml('a: ]x] ]y] "z"')).issues).toEqual(["FRONTMATTER_YAML:2"]);
  });

  it("lists all problems at once", async () => {
    expect((await yaml("a: 1\na: 2\nb: *x\n? {}\n: y")).issues).toEqual([
      "FRONTMATTER_KEY:3",
      "FRONTMATTER_ALIAS:4",
      "FRONTMATTER_KEY:5",
    ]);
  });

  it("has aliases, up to a bound", async () => {
    expect((await yaml("a: &x {k: v}\nb: *x\nc: [*x, *x]")).fields).toEqual({
      a: { k: "v" },
      b: { k: "v" },
      c: [{ k: "v" }, { k: "v" }],
    });
    const laughs = Array.from(
      { length: 12 },
      (_, n) =>
        `a${n}: &a${n} [${Array(9)
          .fill(n === 0 ? "lol" : `*a${n - 1}`)
          .join(", ")}]`,
    );
    expect((await yaml(laughs.join("\n"))).issues).toEqual([expect.stringMatching(/^FRONTMATTER_TOO_COMPLEX:/)]);
    const long = `a: &a ${"x".repeat(30_000)}\n${Array.from({ length: 200 }, (_, n) => `b${n}: *a`).join("\n")}`;
    expect((await yaml(long)).issues).toEqual([expect.stringMatching(/^FRONTMATTER_TOO_COMPLEX:/)]);
  });

  it("is not nested without end", async () => {
    expect((await yaml(`a: ${"[".repeat(40)}${"]".repeat(40)}`)).issues).toEqual(["FRONTMATTER_TOO_COMPLEX:2"]);
    const chain = ["a0: &a0 []", ...Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}]`)];
    expect((await yaml(chain.join("\n"))).issues).toEqual([expect.stringMatching(/^FRONTMATTER_TOO_COMPLEX:/)]);
    expect((await yaml(`a: ${"[".repeat(60_000)}`)).issues.length).toBeGreaterThan(0);
  });

  it("reads values that are not JSON as text, and -0 as 0", async () => {
    expect(await yaml("a: .nan\nb: -.inf\nc: -0")).toMatchObject({
      fields: { a: ".nan", b: "-.inf", c: 0 },
      warnings: ["FRONTMATTER_NOT_JSON:2", "FRONTMATTER_NOT_JSON:3"],
    });
  });

  it("cannot touch the prototype", async () => {
    const { fields, warnings } = await yaml("__proto__: {polluted: 1}\nconstructor: x\nm: {__proto__: [1]}");
    expect(warnings).toEqual(["FRONTMATTER_KEY_DROPPED:2", "FRONTMATTER_KEY_DROPPED:4"]);
    expect(JSON.stringify(fields)).toBe('{"constructor":"x","m":{}}');
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  it("may have thousands of keys", async () => {
    const keys = Array.from({ length: 9_000 }, (_, n) => `k${n.toString(36)}:`).join("\n");
    expect(Object.keys((await yaml(keys)).fields ?? {})).toHaveLength(9_000);
  });
});

describe("the repair", () => {
  it("quotes values with a colon, with a warning", async () => {
    const text = "name: x\ndescription: Use when: it's time. Not: later\nlist:\n  - label: a: b";
    expect(await yaml(text)).toMatchObject({
      fields: { name: "x", description: "Use when: it's time. Not: later", list: [{ label: "a: b" }] },
      issues: [],
      warnings: ["FRONTMATTER_REPAIRED:3", "FRONTMATTER_REPAIRED:5"],
    });
  });

  it("works with Windows line endings", async () => {
    expect((await read("---\r\na: b: c\r\n---\r\nx")).fields).toEqual({ a: "b: c" });
  });

  it("leaves block scalars, quoted and flow values alone", async () => {
    const text = 'a: b: c\ntext: |\n  keep: this: as it is\n\n  and: that: too\nq: "x: y"\nf: {k: v}';
    expect((await yaml(text)).fields).toEqual({
      a: "b: c",
      text: "keep: this: as it is\n\nand: that: too\n",
      q: "x: y",
      f: { k: "v" },
    });
  });

  it("is not tried on valid YAML, and reports the first errors if it does not help", async () => {
    expect((await yaml("url: http://x:1/a")).warnings).toEqual([]);
    expect((await yaml("a: b: c\nd: [")).issues).toEqual(expect.arrayContaining(["FRONTMATTER_YAML:2"]));
  });

  // The clock of workerd does not advance during computation, so the timeout of the test enforces the limit.
  it("is linear on lines made to be slow", { timeout: 10_000 }, async () => {
    await yaml(`a: b: c${" ".repeat(60_000)}d\nx: [`);
    await yaml(`${"- ".repeat(20_000)}a: b: c`);
  });
});

it("never throws, and answers JSON", async () => {
  const piece = fc.constantFrom(
    "---\n",
    "\n",
    "a",
    ": ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    "&x ",
    "*x",
    "!t ",
    "!!str ",
    "|\n",
    ">",
    "'",
    '"',
    "#",
    "? ",
    "\t",
    "  ",
    "%",
    ",",
    "\\",
    "\r\n",
    "<<",
    "~",
    "1",
    "\u0000",
    "\ud800",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const { frontmatter, issues } = await readFrontmatter(`---\n${pieces.join("")}\n---\nbody`);
      expect(frontmatter === null).toBe(issues.length > 0);
      expect(JSON.parse(JSON.stringify(frontmatter?.fields ?? null))).toEqual(frontmatter?.fields ?? null);
    }),
    { numRuns: 1500 },
  );
});
