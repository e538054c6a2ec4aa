// Input and output files of scripts, as the back end of a chat sees them.

import { beforeEach, describe, expect, it } from "vitest";
import { SCRIPT_FILES } from "../../../src/domain/code/script-limits";
import { textOf } from "../../support/chat-turns";
import { type Filer, filer, publishFiler, storedFiles, toldOf } from "../../support/filer";

let chat: Filer;
const run: Filer["run"] = (...asked) => chat.run(...asked);

beforeEach(async () => {
  await publishFiler();
  chat = await filer("alice");
});

describe("a script's files", () => {
  it.each(["scripts/run.js", "scripts/run.py", "scripts/run.sh"])(
    "go in to where it begins: %s",
    async (script_path) => {
      const files = [
        { path: "a.txt", text: "é" },
        { path: "folder/b.txt", base64: btoa("b") },
      ];
      const { stdout, exit_code } = toldOf(await run(["list"], { script_path, files }));
      expect(exit_code).toBe(0);
      expect(stdout.trim().split("\n").sort()).toEqual(["a.txt=é", "folder/b.txt=b"]);
    },
  );

  it.each([
    ["scripts/run.js", ["write", "report.md"], "report.md", "content of report.md", "text/markdown"],
    ["scripts/run.py", [], "report.py.txt", "from python", "text/plain"],
    ["scripts/run.sh", [], "report.sh.txt", "from a shell", "text/plain"],
  ])("come out with an address: %s", async (script_path, args, name, text, type) => {
    const result = await run(args, { script_path });
    const [file, ...others] = toldOf(result).files;
    expect(others).toEqual([]);
    const id = expect.stringMatching(/^fil_[0-9a-f]{32}$/);
    expect(file).toEqual({
      path: `/workspace/${name}`,
      size: text.length,
      type,
      id,
      address: expect.any(String),
      text,
    });
    expect(file?.address).toBe(`${chat.route}/files/${file?.id}`);
    expect(textOf(result)).toContain(`- /workspace/${name}: ${text.length} bytes, ${type}, kept as ${file?.id}`);
    expect(textOf(result)).toContain(text);
    expect(toldOf(result).left).toEqual([]);
  });

  it("of a call that is made again have the same addresses, and it does not run again", async () => {
    const first = await run(["write", "a", "b"], {}, "one");
    const kept = await storedFiles();
    expect(await run(["write", "a", "b"], {}, "one")).toEqual(first);
    expect(await storedFiles()).toEqual(kept);
    const [other] = toldOf(await run(["write", "a"], {}, "two")).files;
    expect(toldOf(first).files.map(({ id }) => id)).not.toContain(other?.id);
  });

  it("go into a later call by id or address", async () => {
    const [file] = toldOf(await run(["write", "data.csv"])).files;
    for (const kept of [file?.id, file?.address]) {
      const { stdout } = toldOf(await run(["list"], { files: [{ path: "in/again.csv", kept }] }));
      expect(stdout).toBe("in/again.csv=content of data.csv\n");
    }
  });

  it("are stored for a failed script too", async () => {
    const result = await run(["fail"]);
    expect(result.isError).toBe(true);
    expect(toldOf(result).files).toMatchObject([
      { path: "/workspace/report.txt", text: "so far", id: expect.any(String) },
    ]);
  });

  it("are named with a reason where they are too large or too many", async () => {
    const { files, left } = toldOf(await run(["big", "/tmp/big.bin", String(SCRIPT_FILES.outFileBytes + 1)]));
    expect([files, left]).toEqual([[], [{ path: "/tmp/big.bin", reason: "TOO_LARGE" }]]);
    const names = Array.from({ length: 22 }, (_, n) => `f${n + 10}`);
    const many = toldOf(await run(["write", ...names]));
    expect(many.files).toHaveLength(SCRIPT_FILES.outFiles);
    expect(many.left.map(({ reason }) => reason)).toEqual(["TOO_MANY", "TOO_MANY"]);
  });

  it("that are wrong are refused with everything that is, and nothing runs", async () => {
    const files = [
      { path: "../up", text: "" },
      { path: "/etc/x", text: "" },
      { path: "twice", text: "", base64: "" },
      { path: "mine", kept: `fil_${"0".repeat(32)}` },
    ];
    const before = await storedFiles();
    const result = await run(["write", "a"], { files });
    expect(result.isError).toBe(true);
    expect(toldOf(result).issues?.map(({ code, path }) => `${path} ${code}`)).toEqual([
      "files.0.path PATH_DOT_SEGMENT",
      "files.1.path PATH_ABSOLUTE",
      "files.2 FILE_CONTENT",
      "files.3.kept FILE_NOT_KEPT",
    ]);
    expect(textOf(result)).toMatch(/files\.3\.kept: .*\(FILE_NOT_KEPT\)/);
    expect(await storedFiles()).toEqual(before);
  });

  it.each(["scripts/run.js", "scripts/run.py"])(
    "have no name that breaks a line, and no link leads out: %s",
    async (script_path) => {
      const { files, left, exit_code } = toldOf(await run(["hostile"], { script_path }));
      expect([exit_code, left]).toEqual([0, []]);
      expect(files.map(({ path, text }) => [path, text])).toEqual([["/workspace/ok.txt", "fine"]]);
    },
  );

  it("may be no thousands", async () => {
    const files = Array.from({ length: 10_000 }, (_, n) => ({ path: `f${n}`, text: "" }));
    const result = await run(["list"], { files });
    expect(toldOf(result).issues?.map(({ code }) => code)).toEqual(["FILE_TOO_MANY"]);
    const odd = await run(["list"], { files: files.map(() => ({ path: 1 })) });
    expect(odd.isError).toBe(true);
    expect(textOf(odd).length).toBeLessThan(3_000);
  });
});

describe("a stored file of another conversation or user", () => {
  it("is not found, whatever its name", async () => {
    const [file] = toldOf(await run(["write", "secret.txt"])).files;
    const mine = chat;
    for (const user of [{ key: mine.key }, "mallory"]) {
      chat = await filer(user);
      for (const kept of [file?.id, file?.address, `x/${file?.id}`, `fil_${"f".repeat(32)}`]) {
        const refused = await run(["list"], { files: [{ path: "a", kept }] });
        expect(toldOf(refused).issues).toEqual([
          { code: "FILE_NOT_KEPT", message: expect.any(String), path: "files.0.kept" },
        ]);
        expect(JSON.stringify(refused)).not.toContain("content of");
      }
    }
  });
});
