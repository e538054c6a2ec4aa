// A skill whose script writes the files named in its arguments, and a conversation that runs it.

import { env } from "cloudflare:workers";
import { publishPublic, type Result, type Talk, talk } from "./chat-turns";

export interface ToldRun {
  files: { path: string; size: number; type: string; id: string; address: string; text?: string; base64?: string }[];
  left: { path: string; reason: string }[];
  issues?: { code: string; path: string; message: string }[];
  exit_code: number;
  stdout: string;
}

/** Returns the structured result of a run. */
export const toldOf = (result: Result) => result.structuredContent as unknown as ToldRun;

/** Reads the files it finds and follows its arguments. */
const JS = `const fs = require("fs");
const [act = "list", ...rest] = process.argv.slice(2);
const list = (at = "") => fs.readdirSync(at || ".").flatMap((name) => fs.statSync(at + name).isFile() ? [at + name] : list(at + name + "/"));
if (act === "list") for (const name of list()) console.log(name + "=" + fs.readFileSync(name, "utf8"));
if (act === "write") for (const name of rest) { fs.mkdirSync(require("path").dirname(name), { recursive: true }); fs.writeFileSync(name, "content of " + name); }
if (act === "big") fs.writeFileSync(rest[0], Buffer.alloc(Number(rest[1]), 255));
if (act === "hostile") {
  fs.mkdirSync("deep"); fs.writeFileSync("a\\u202egpj.exe", "x"); fs.writeFileSync("line\\nbreak", "x"); fs.writeFileSync("ok.txt", "fine");
  fs.symlinkSync("/skill/SKILL.md", "link.md"); fs.symlinkSync("/nowhere", "broken"); fs.symlinkSync("/workspace", "deep/loop");
}
if (act === "fail") { fs.writeFileSync("report.txt", "so far"); process.exit(3); }
`;
const PY = `import os, sys
for folder, _, names in os.walk("."):
    for name in sorted(names):
        path = os.path.join(folder, name)
        print(os.path.relpath(path) + "=" + open(path).read())
if sys.argv[1:] == ["hostile"]:
    os.mkdir("deep")
    for name in ["a\\u202egpj.exe", "line\\nbreak", "ok.txt"]: open(name, "w").write("fine")
    os.symlink("/skill/SKILL.md", "link.md"); os.symlink("/nowhere", "broken"); os.symlink("/workspace", "deep/loop")
else: open("report.py.txt", "w").write("from python")
`;

const SH = `find . -type f | sort | while read -r name; do echo "\${name#./}=$(cat "$name")"; done
printf 'from a shell' > report.sh.txt
`;

export const publishFiler = () =>
  publishPublic({ name: "filer", files: { "scripts/run.js": JS, "scripts/run.py": PY, "scripts/run.sh": SH } });

export interface Filer extends Talk {
  run(args: string[], more?: object, id?: string): Promise<Result>;
  /** Runs with these arguments and returns the one file that the run leaves. */
  keep(...args: string[]): Promise<ToldRun["files"][number]>;
}

/** Creates a conversation of a user that runs the skill. */
export async function filer(user: string | { key: string }): Promise<Filer> {
  const chat = await talk(user);
  const run = (args: string[], more: object = {}, id?: string) =>
    chat.use("execute_skill_script", { skill_name: "filer", script_path: "scripts/run.js", args, ...more }, id);
  const keep = async (...args: string[]) => {
    const [file, ...others] = toldOf(await run(args)).files;
    if (file === undefined || others.length > 0) throw new Error("not one file");
    return file;
  };
  return { ...chat, run, keep };
}

/** Returns the keys of all stored files, with a value that changes when a file is written again. */
export async function storedFiles(): Promise<string[]> {
  const { objects } = await env.PACKAGES.list({ prefix: "runs/" });
  return objects.map(({ key, version }) => `${key} ${version}`).sort();
}

/** Returns the ids with rows in D1, and those with objects in R2. */
export async function keptIds(): Promise<{ rows: string[]; objects: string[] }> {
  const { results } = await env.DB.prepare("SELECT id FROM run_files ORDER BY id").all<{ id: string }>();
  const { objects } = await env.PACKAGES.list({ prefix: "runs/" });
  return {
    rows: results.map(({ id }) => id),
    objects: objects.map(({ key }) => key.slice(key.lastIndexOf("/") + 1)).sort(),
  };
}

/** Deletes every file of earlier tests. R2 is not emptied between tests. */
export async function dropAllFiles(): Promise<void> {
  await env.DB.prepare("DELETE FROM run_files").run();
  const { objects } = await env.PACKAGES.list({ prefix: "runs/" });
  if (objects.length > 0) await env.PACKAGES.delete(objects.map(({ key }) => key));
}
