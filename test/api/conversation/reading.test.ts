// `read_skill`: it accepts every spelling of a path that models write, and rejects paths that lead outside the skill.

import { beforeAll, describe, expect, it } from "vitest";
import { keyFor } from "../../support/call";
import { publishOwn, publishPublic, type Talk, talk, textOf } from "../../support/chat-turns";

const files = {
  "GUIDE.md": "The guide.",
  "scripts/hello.js": "console.log('hello')",
  "scripts/hello.py": "print('hello')",
  "a/b/deep.txt": "Deep.",
  "..odd": "Odd.",
};
let chat: Talk;

beforeAll(async () => {
  await publishPublic({ name: "spelt", body: "Read on.", files });
  await publishPublic({ name: "spelt-evil", body: "Evil.", files: { "GUIDE.md": "Another skill's." } });
  const key = await keyFor("reader");
  await publishOwn(key, { name: "kept", body: "Mine.", files: { "scripts/hello.js": "1" } });
  await publishOwn(key, { name: "bare", body: "Bare." });
  chat = await talk({ key });
  await chat.turn();
}, 60_000);

const read = (file_path: string) => chat.use("read_skill", { skill_name: "spelt", file_path });

describe("a file", () => {
  it.each([
    ["./GUIDE.md", "GUIDE.md"],
    ["scripts/../GUIDE.md", "GUIDE.md"],
    ["scripts//hello.js", "scripts/hello.js"],
    ["./a/./b/../b//deep.txt", "a/b/deep.txt"],
    ["./SKILL.md", "SKILL.md"],
    ["GUIDE.md/", "GUIDE.md"],
    ["./..odd", "..odd"],
  ])("is read however its path is spelt: %s", async (asked, path) => {
    const plain = await read(path);
    expect(plain.isError).toBeUndefined();
    expect(await read(asked)).toMatchObject({ content: plain.content, structuredContent: plain.structuredContent });
    expect(plain.structuredContent).toMatchObject({ file_path: path });
  });

  it.each([
    "/GUIDE.md",
    "//GUIDE.md",
    "../GUIDE.md",
    "../spelt/GUIDE.md",
    "../spelt-evil/GUIDE.md",
    "scripts/../../spelt-evil/GUIDE.md",
    "scripts/../../GUIDE.md",
    "./../GUIDE.md",
    ".\\GUIDE.md",
    "scripts\\..\\GUIDE.md",
    "%2e/GUIDE.md",
    "scripts/%2e%2e/GUIDE.md",
    "GUIDE.md\u0000",
    ".",
    "..",
    "scripts",
    "__proto__",
  ])("is not found if a path leads elsewhere: %j", async (asked) => {
    expect(await read(asked)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Error: Skill 'spelt' has no file") }],
    });
  });

  it.each(["path", "filePath", "file", "filename"])(
    "is not taken from '%s', which says what there is instead",
    async (key) => {
      const use = (more: object) => chat.use("read_skill", { skill_name: "spelt", [key]: "GUIDE.md", ...more });
      const refused = await use({});
      expect([refused.isError, textOf(refused)]).toEqual([
        true,
        `Error: The arguments of 'read_skill' are not valid: ${key}: Unknown argument. Name the file in 'file_path', or omit it to read the instructions.`,
      ]);
      expect((await use({ file_path: "a/b/deep.txt" })).structuredContent).toMatchObject({ file_path: "a/b/deep.txt" });
    },
  );

  it("is ignored if a model or host adds its own argument, and the instructions are read", async () => {
    const more = { explanation: "I need its instructions.", toolCallId: 7, file_path: null };
    expect(textOf(await chat.use("read_skill", { skill_name: "spelt", ...more }))).toContain("Read on.");
  });

  it("is run under the same spellings, and under no others", async () => {
    const run = (script_path: string) => chat.use("execute_skill_script", { skill_name: "spelt", script_path });
    for (const path of ["./scripts/hello.js", "scripts//hello.js", "a/../scripts/hello.js"])
      expect((await run(path)).structuredContent).toMatchObject({ script_path: "scripts/hello.js", stdout: "hello\n" });
    for (const path of ["/scripts/hello.js", "../spelt/scripts/hello.js", "scripts/../../scripts/hello.js"])
      expect(textOf(await run(path))).toContain("has no script");
  });
});

describe("the list of files", () => {
  const listed = async (skill_name: string) => {
    const result = await chat.use("read_skill", { skill_name });
    return { list: textOf(result).split("\n\n## Files\n\n")[1]?.split("\n"), data: result.structuredContent?.files };
  };

  it("marks scripts for execute_skill_script, and omits the file just read; the data has all", async () => {
    const { list, data } = await listed("spelt");
    expect(list).toEqual([
      "- ..odd",
      "- GUIDE.md",
      "- a/b/deep.txt",
      "- scripts/hello.js (script)",
      "- scripts/hello.py (script)",
    ]);
    expect(data).toEqual(["..odd", "GUIDE.md", "SKILL.md", "a/b/deep.txt", "scripts/hello.js", "scripts/hello.py"]);
  });

  it("marks nothing if scripts do not run, and is absent for instructions alone", async () => {
    expect((await listed("kept")).list).toEqual(["- scripts/hello.js"]);
    expect(await listed("bare")).toEqual({ list: undefined, data: ["SKILL.md"] });
  });
});
