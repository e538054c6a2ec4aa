import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PACKAGE_LIMITS } from "../../../src/domain/limits";
import { type Naming, readPackage, SIZE_ISSUES } from "../../../src/domain/package/package";
import { ARCHIVES } from "../../support/archives";
import { readStrictly } from "../../support/strict-reader";
import { SKILL, SKILL_TEXT, type ZipEntry, zipOf } from "../../support/zip";

const read = async (entries: ZipEntry[], naming: Naming = {}) => {
  const outcome = await readPackage(zipOf(entries), naming);
  const brief = (list: typeof outcome.issues) =>
    list.map(({ code, path }) => (path === undefined ? code : `${code} ${path}`));
  expect(outcome.package === null).toBe(outcome.issues.length > 0);
  return {
    name: outcome.package?.name,
    package: outcome.package,
    issues: brief(outcome.issues),
    warnings: brief(outcome.warnings),
  };
};
const skill = (path: string, frontmatter = "description: d"): ZipEntry => ({
  name: path,
  data: `---\n${frontmatter}\n---\nbody`,
});
const note: ZipEntry = { name: "demo/note.md", data: "a note" };

describe("layout", () => {
  it("is a folder with SKILL.md, whose files are relative to it", async () => {
    const { name, package: value } = await read([
      { name: "demo/" },
      note,
      SKILL,
      { name: "demo/a/b.sh", data: "x", mode: 0o100755 },
    ]);
    expect(name).toBe("demo");
    expect(value?.files.map(({ path, size, mode }) => [path, size, mode])).toEqual([
      ["SKILL.md", SKILL_TEXT.length, 0o644],
      ["a/b.sh", 1, 0o755],
      ["note.md", 6, 0o644],
    ]);
    expect(value).toMatchObject({ instructions: "Say hello.", frontmatter: { description: "Says hello." } });
  });

  it("or SKILL.md at the root", async () => {
    expect(await read([skill("SKILL.md"), { name: "docs/x.md" }], { name: "demo" })).toMatchObject({
      name: "demo",
      issues: [],
    });
  });

  it("accepts skill.md and keeps its name", async () => {
    const { package: value, warnings } = await read([skill("demo/skill.md")]);
    expect(value?.files.map(({ path }) => path)).toEqual(["skill.md"]);
    expect(warnings).toEqual(["SKILL_FILE_LOWER_CASE demo/skill.md"]);
  });

  it("treats nested skills as files", async () => {
    expect(await read([SKILL, skill("demo/examples/x/SKILL.md")])).toMatchObject({
      issues: [],
      warnings: ["SKILL_NESTED demo/examples/x/SKILL.md"],
    });
  });

  it.each<[string, ZipEntry[], string[]]>([
    ["an empty archive", [], ["SKILL_FILE_MISSING"]],
    ["no SKILL.md", [note], ["SKILL_FILE_MISSING"]],
    ["a file that is only called like it", [skill("demo/my-Skill.md")], ["SKILL_FILE_MISSING demo/my-Skill.md"]],
    ["only a folder of that name", [{ name: "demo/SKILL.md/" }], ["SKILL_FILE_MISSING"]],
    ["a skill too deep", [skill("repo/skills/demo/SKILL.md")], ["SKILL_FILE_TOO_DEEP repo/skills/demo/SKILL.md"]],
    [
      "two skills",
      [skill("a/SKILL.md"), skill("b/skill.md")],
      ["SEVERAL_SKILLS a/SKILL.md", "SEVERAL_SKILLS b/skill.md"],
    ],
    [
      "a skill at the root and one in a folder",
      [skill("SKILL.md"), SKILL],
      ["SEVERAL_SKILLS SKILL.md", "SEVERAL_SKILLS demo/SKILL.md"],
    ],
    ["both spellings", [SKILL, skill("demo/skill.md")], ["PATH_DUPLICATE demo/skill.md"]],
    [
      "files outside",
      [SKILL, { name: "README.md" }, { name: "demo2/x" }],
      ["FILE_OUTSIDE_SKILL README.md", "FILE_OUTSIDE_SKILL demo2/x"],
    ],
    [
      "a SKILL.md that is not UTF-8",
      [{ name: "demo/SKILL.md", data: Uint8Array.of(0x2d, 0xff) }],
      ["SKILL_FILE_NOT_UTF8 SKILL.md"],
    ],
  ])("%s is refused", async (_, entries, issues) => {
    expect((await read(entries)).issues).toEqual(issues);
  });

  it("does not miss the SKILL.md that could not be read", async () => {
    expect((await read([{ ...SKILL, crc: 1 }, note])).issues).toEqual(["ZIP_CRC_MISMATCH demo/SKILL.md"]);
    expect((await read([{ ...note, crc: 1 }, { name: "demo/x" }])).issues).toEqual([
      "ZIP_CRC_MISMATCH demo/note.md",
      "SKILL_FILE_MISSING",
    ]);
  });
});

it.each(["Skill.md", "SKILL.MD", "skill.md"])("treats %s as SKILL.md", async (file) => {
  const { name, issues, warnings } = await read([skill(`demo/${file}`), note]);
  expect([name, issues, warnings]).toEqual(["demo", [], [`SKILL_FILE_LOWER_CASE demo/${file}`]]);
});

it("accepts 1 200 files, one of 10 MiB, and 512 KiB of instructions", async () => {
  const body = "x".repeat(512 * 1024);
  const many = Array.from({ length: 1_200 }, (_, n): ZipEntry => ({ name: `demo/docs/${n}.md`, data: "x" }));
  const large: ZipEntry = { name: "demo/data.bin", data: new Uint8Array(10 * 1024 * 1024) };
  const text: ZipEntry = { name: "demo/SKILL.md", data: `---\ndescription: d\n---\n${body}` };
  const { package: found, issues } = await read([text, large, ...many]);
  expect([issues, found?.files.length, found?.instructions.length]).toEqual([[], 1_202, body.length]);
});

it("reports the size of what is too large", async () => {
  const data = `---\ndescription: d\n---\n${"x".repeat(PACKAGE_LIMITS.instructionBytes + 1)}`;
  const { issues } = await readPackage(zipOf([{ name: "demo/SKILL.md", data }]), {});
  expect(issues).toMatchObject([{ code: "INSTRUCTIONS_TOO_LARGE", message: expect.stringContaining("524289") }]);
});

describe("the folder of a download", () => {
  it.each(["humanizer-main", "repo-master", "x-0a1b2c3", `x-${"0a".repeat(20)}`])("%s gives way", async (folder) => {
    const { name, warnings } = await read([skill(`${folder}/SKILL.md`, "name: humanizer\ndescription: d")]);
    expect([name, warnings]).toEqual(["humanizer", ["NAME_FROM_FRONTMATTER SKILL.md"]]);
  });

  it("gives way to the name that a form sends, too", async () => {
    const entries = [skill("humanizer-main/SKILL.md", "name: humanizer\ndescription: d")];
    expect((await read(entries, { name: "humanizer" })).issues).toEqual([]);
    expect((await read(entries, { name: "other" })).issues).toEqual(["NAME_MISMATCH SKILL.md"]);
  });

  it.each([
    ["x-main", "description: d"],
    ["x-main", "name: No Name\ndescription: d"],
    ["x-maintain", "name: other\ndescription: d"],
    ["x-abc", "name: other\ndescription: d"],
  ])("%s stays with %j", async (folder, frontmatter) => {
    expect((await read([skill(`${folder}/SKILL.md`, frontmatter)])).name).toBe(folder);
  });
});

describe("all problems at once", () => {
  it("from the archive, the layout, the name and the manifest", async () => {
    const entries = [skill("my demo/SKILL.md", "tags: a, b"), { name: "my demo/link", mode: 0o120777 }, { name: "x" }];
    expect(await read(entries, { name: "other" })).toMatchObject({
      package: null,
      issues: [
        "ZIP_SPECIAL_FILE my demo/link",
        "FILE_OUTSIDE_SKILL x",
        "DESCRIPTION_MISSING SKILL.md",
        "NAME_INVALID my demo",
        "NAME_MISMATCH my demo",
      ],
      warnings: ["FIELD_TYPE SKILL.md"],
    });
  });

  it("marks those that mean too large", async () => {
    const large = await read([
      SKILL,
      { ...note, method: 8, data: new Uint8Array(PACKAGE_LIMITS.fileBytes + 1).map((_, n) => n * n) },
    ]);
    expect(large.issues.some((issue) => SIZE_ISSUES.has(issue.split(" ")[0]!))).toBe(true);
    expect(SIZE_ISSUES.has("ZIP_CRC_MISMATCH")).toBe(false);
  });
});

describe("the name", () => {
  it("of the folder wins over the frontmatter", async () => {
    expect(await read([skill("demo/SKILL.md", "name: other\ndescription: d")])).toMatchObject({
      name: "demo",
      issues: [],
      warnings: ["NAME_DIFFERS SKILL.md"],
    });
  });

  it("in the frontmatter may be a title", async () => {
    const { name, package: value, warnings } = await read([skill("demo/SKILL.md", "name: The Demo!\ndescription: d")]);
    expect(name).toBe("demo");
    expect(value?.manifest).toMatchObject({ name: "The Demo!", displayName: "The Demo!" });
    expect(warnings).toEqual(["NAME_IS_TITLE SKILL.md"]);
  });

  const named = skill("SKILL.md", "name: written\ndescription: d");
  const titled = skill("SKILL.md", "name: A Title\ndescription: d");
  it.each<[string, ZipEntry, Naming, string | undefined, string[]]>([
    ["the folder and the same form name", SKILL, { name: "demo" }, "demo", []],
    ["the folder and another form name", SKILL, { name: "other" }, undefined, ["NAME_MISMATCH demo"]],
    ["the folder and the replaced skill", SKILL, { expected: "demo" }, "demo", []],
    ["the folder and another skill to replace", SKILL, { expected: "other" }, undefined, ["NAME_MISMATCH demo"]],
    ["case counts", SKILL, { name: "Demo" }, undefined, ["NAME_MISMATCH demo"]],
    ["the file name never counts against a folder", SKILL, { fileName: "other.zip" }, "demo", []],
    ["root: form name", named, { name: "form", fileName: "file.zip" }, "form", []],
    ["root: frontmatter", named, { fileName: "file.zip" }, "written", []],
    ["root: file name", titled, { fileName: "file.zip" }, "file", []],
    ["root: file name with a path", titled, { fileName: "C:\\x\\file.ZIP" }, "file", []],
    ["root: replaced skill", named, { expected: "old", fileName: "file.zip" }, "old", []],
    [
      "root: replaced skill and another form name",
      named,
      { expected: "old", name: "new" },
      undefined,
      ["NAME_MISMATCH expected"],
    ],
    ["root: no usable name", titled, { fileName: "my file.zip" }, undefined, ["NAME_MISSING"]],
    ["root: an invalid form name", named, { name: "my name" }, undefined, ["NAME_INVALID name"]],
  ])("%s", async (_, entry, naming, name, issues) => {
    const outcome = await read([entry], naming);
    expect([outcome.name, outcome.issues]).toEqual([name, issues]);
  });

  it("makes paths longer when it becomes the folder", async () => {
    const entries = [named, { name: "x".repeat(250) }];
    expect((await read(entries, { name: "a" })).issues).toEqual([]);
    expect((await read(entries, { name: "abcdef" })).issues).toEqual([
      expect.stringMatching(/^PATH_TOO_LONG abcdef\/x/),
    ]);
  });
});

describe("identity", () => {
  it("is the content, whatever made the archive", async () => {
    const zips = Object.entries(ARCHIVES).map(
      ([writer, base64]) => [writer, Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))] as const,
    );
    const digests = new Map<string, Set<string>>();
    for (const [writer, zip] of zips) {
      const { package: value } = await readPackage(zip, {});
      const key = writer.startsWith("python") ? "with zip64 file" : "plain";
      digests.set(key, (digests.get(key) ?? new Set()).add(`${value?.digest} ${value?.zipSha256}`));
    }
    expect([...digests.values()].map(({ size }) => size)).toEqual([1, 1]);
  });

  it("is documented: sorted lines of path, mode, size and hash", async () => {
    const { package: value } = await read([SKILL, { ...note, mode: 0o100755 }]);
    const lines = value?.files
      .map(({ path, mode, size, sha256 }) => `${path}\0${mode.toString(8)}\0${size}\0${sha256}\n`)
      .join("");
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines));
    expect([...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")).toBe(value?.digest);
    expect(value?.files.map(({ mode }) => mode)).toEqual([0o644, 0o755]);
  });

  it("changes with a byte, a mode, a path, and not with a name", async () => {
    const of = async (entries: ZipEntry[]) => (await read(entries)).package?.digest;
    const original = await of([SKILL, note]);
    expect(await of([SKILL, { ...note, data: "b note" }])).not.toBe(original);
    expect(await of([SKILL, { ...note, mode: 0o100755 }])).not.toBe(original);
    expect(await of([SKILL, { ...note, name: "demo/note2.md" }])).not.toBe(original);
    expect(await of([note, SKILL])).toBe(original);
    expect(
      await of([
        { ...SKILL, name: "other/SKILL.md" },
        { ...note, name: "other/note.md" },
      ]),
    ).toBe(original);
  });

  it("survives the canonical ZIP, and files are at their listed positions", { tags: ["slow"] }, async () => {
    const path = fc.stringMatching(/^[a-zé]{1,6}(\/[a-z._-]{1,6}){0,2}$/);
    const content = fc.record({
      data: fc.uint8Array({ maxLength: 200 }),
      method: fc.constantFrom(0, 8),
      executable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(path, content, { maxKeys: 6 }), fc.boolean(), async (extra, root) => {
        const prefix = root ? "" : "demo/";
        const files = Object.entries(extra).map(([name, { data, method, executable }]): ZipEntry => {
          return { name: prefix + name, data, method, mode: executable ? 0o100755 : 0o100644 };
        });
        const first = await readPackage(zipOf([{ ...SKILL, name: `${prefix}SKILL.md` }, ...files]), {
          fileName: "demo.zip",
        });
        if (first.package === null) return;
        const second = await readPackage(first.package.zip, {});
        expect(second).toEqual({
          ...first,
          package: { ...first.package, warnings: second.warnings },
          warnings: second.warnings,
        });
        const strict = await readStrictly(first.package.zip);
        expect(strict.size).toBe(first.package.files.length);
        for (const { path: name, offset, size } of first.package.files) {
          expect(first.package.zip.subarray(offset, offset + size)).toEqual(strict.get(`demo/${name}`));
        }
      }),
      { numRuns: 200 },
    );
  });
});

it("reports the same warning once", async () => {
  const { warnings } = await read([SKILL, ...["a", "b"].map((name) => ({ name: `demo/.${name}/.DS_Store` }))]);
  expect(warnings).toEqual(["PLATFORM_FILES_DROPPED demo/.a/.DS_Store"]);
});
