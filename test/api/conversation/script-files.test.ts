// Files that a script is given and leaves, as a model's caller meets them.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { SCRIPT_FILES } from "../../../src/domain/code/script-limits";
import { publishPublic, type Result, talk, textOf } from "../../support/talk";

interface Told {
  files: { path: string; size: number; type: string; id?: string; address?: string; text?: string; base64?: string }[];
  left: { path: string; reason: string }[];
  issues?: { code: string; path: string; message: string }[];
  exit_code: number;
  stdout: string;
}

const told = (result: Result) => result.structuredContent as unknown as Told;

/** Reads what it finds, and does what its arguments say. */
const JS = `const fs = require("fs");
const [act = "list", ...rest] = process.argv.slice(2);
const list = (at = "") => fs.readdirSync(at || ".").flatMap((name) => fs.statSync(at + name).isFile() ? [at + name] : list(at + name + "/"));
if (act === "list") for (const name of list()) console.log(name + "=" + fs.readFileSync(name, "utf8"));
if (act === "write") for (const name of rest) { fs.mkdirSync(require("path").dirname(name), { recursive: true }); fs.writeFileSync(name, "content of " + name); }
if (act === "big") fs.writeFileSync(rest[0], Buffer.alloc(Number(rest[1]), 255));
if (act === "fail") { fs.writeFileSync("report.txt", "so far"); process.exit(3); }
`;
const PY = `import os, sys
for folder, _, names in os.walk("."):
    for name in sorted(names):
        path = os.path.join(folder, name)
        print(os.path.relpath(path) + "=" + open(path).read())
open("report.py.txt", "w").write("from python")
`;

/** The keys of what is kept, with what changes when one is written again. */
async function stored(): Promise<string[]> {
  const { objects } = await env.PACKAGES.list({ prefix: "runs/" });
  return objects.map(({ key, version }) => `${key} ${version}`).sort();
}

let chat: Awaited<ReturnType<typeof talk>>;
const run = (args: string[], more: object = {}, id?: string) =>
  chat.use("execute_skill_script", { skill_name: "filer", script_path: "scripts/run.js", args, ...more }, id);

beforeEach(async () => {
  await publishPublic({ name: "filer", files: { "scripts/run.js": JS, "scripts/run.py": PY } });
  chat = await talk("alice");
});

describe("a script's files", () => {
  it.each(["scripts/run.js", "scripts/run.py"])("go in to where it begins: %s", async (script_path) => {
    const files = [
      { path: "a.txt", text: "é" },
      { path: "folder/b.txt", base64: btoa("b") },
    ];
    const { stdout, exit_code } = told(await run(["list"], { script_path, files }));
    expect(exit_code).toBe(0);
    expect(stdout.trim().split("\n").sort()).toEqual(["a.txt=é", "folder/b.txt=b"]);
  });

  it.each([
    ["scripts/run.js", ["write", "report.md"], "report.md", "content of report.md", "text/markdown"],
    ["scripts/run.py", [], "report.py.txt", "from python", "text/plain"],
  ])("come out with an address: %s", async (script_path, args, name, text, type) => {
    const result = await run(args, { script_path });
    const [file, ...others] = told(result).files;
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
    expect(told(result).left).toEqual([]);
  });

  it("of a call that is made again have the same addresses, and it does not run again", async () => {
    const first = await run(["write", "a", "b"], {}, "one");
    const kept = await stored();
    expect(await run(["write", "a", "b"], {}, "one")).toEqual(first);
    expect(await stored()).toEqual(kept);
    const [other] = told(await run(["write", "a"], {}, "two")).files;
    expect(told(first).files.map(({ id }) => id)).not.toContain(other?.id);
  });

  it("go into a later call by id or address", async () => {
    const [file] = told(await run(["write", "data.csv"])).files;
    for (const kept of [file?.id, file?.address]) {
      const { stdout } = told(await run(["list"], { files: [{ path: "in/again.csv", kept }] }));
      expect(stdout).toBe("in/again.csv=content of data.csv\n");
    }
  });

  it("are kept of a script that failed, too", async () => {
    const result = await run(["fail"]);
    expect(result.isError).toBe(true);
    expect(told(result).files).toMatchObject([
      { path: "/workspace/report.txt", text: "so far", id: expect.any(String) },
    ]);
  });

  it("are named with a reason where they are too large or too many", async () => {
    const { files, left } = told(await run(["big", "/tmp/big.bin", String(SCRIPT_FILES.outFileBytes + 1)]));
    expect([files, left]).toEqual([[], [{ path: "/tmp/big.bin", reason: "TOO_LARGE" }]]);
    const names = Array.from({ length: 22 }, (_, n) => `f${n + 10}`);
    const many = told(await run(["write", ...names]));
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
    const before = await stored();
    const result = await run(["write", "a"], { files });
    expect(result.isError).toBe(true);
    expect(told(result).issues?.map(({ code, path }) => `${path} ${code}`)).toEqual([
      "files.0.path PATH_DOT_SEGMENT",
      "files.1.path PATH_ABSOLUTE",
      "files.2 FILE_CONTENT",
      "files.3.kept FILE_NOT_KEPT",
    ]);
    expect(textOf(result)).toMatch(/files\.3\.kept: .*\(FILE_NOT_KEPT\)/);
    expect(await stored()).toEqual(before);
  });

  it("may be no thousands", async () => {
    const files = Array.from({ length: 10_000 }, (_, n) => ({ path: `f${n}`, text: "" }));
    const result = await run(["list"], { files });
    expect(told(result).issues?.map(({ code }) => code)).toEqual(["FILE_TOO_MANY"]);
    const odd = await run(["list"], { files: files.map(() => ({ path: 1 })) });
    expect(odd.isError).toBe(true);
    expect(textOf(odd).length).toBeLessThan(3_000);
  });
});

describe("another's kept file", () => {
  it("is none, of another conversation or another user, whatever it is called", async () => {
    const [file] = told(await run(["write", "secret.txt"])).files;
    const mine = chat;
    for (const user of [{ key: mine.key }, "mallory"]) {
      chat = await talk(user);
      for (const kept of [file?.id, file?.address, `x/${file?.id}`, `fil_${"f".repeat(32)}`]) {
        const refused = await run(["list"], { files: [{ path: "a", kept }] });
        expect(told(refused).issues).toEqual([
          { code: "FILE_NOT_KEPT", message: expect.any(String), path: "files.0.kept" },
        ]);
        expect(JSON.stringify(refused)).not.toContain("content of");
      }
    }
  });
});
