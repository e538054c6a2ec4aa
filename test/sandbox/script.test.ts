import { describe, expect, it } from "vitest";
import { CODE_LIMITS } from "../../src/domain/limits";
import { runOne } from "../support/run-code";

const run = (
  source: string,
  asked: Parameters<typeof runOne>[2] = {},
  files: Record<string, string> = {},
  path = "scripts/run.js",
) => runOne({ name: "scripted", files: { [path]: source, ...files } }, path, asked);
const good = { exit_code: 0, stderr: "", killed: false };

describe("a script", () => {
  it("gets arguments and input the way Node has them, and writes", async () => {
    const source = `#!/usr/bin/env node
      let text = ""; for await (const chunk of process.stdin) text += chunk;
      console.log(process.argv.slice(2).join("+"), text.length);
      console.error("warned", { a: 1 });
      process.stdout.write("no newline");`;
    expect(await run(source, { args: ["a", "b c"], input: "héllo" })).toMatchObject({
      exit_code: 0,
      stdout: "a+b c 5\nno newline",
      stderr: "warned { a: 1 }\n",
      killed: false,
      duration_ms: expect.any(Number),
    });
  });

  it("imports nothing that was hidden behind the end of an import", async () => {
    const source = `import d from "./d.json" with { type: "json" /* } ; { import("cloudflare:workers").then(() => console.log("LOADED")) /* */ }
      await 0; await new Promise((done) => setTimeout(done, 5)); console.log("ran", d.a);`;
    const ended = await run(source, {}, { "scripts/d.json": '{"a":1}' });
    expect(ended).toMatchObject({ ...good, stdout: "ran 1\n" });
  });

  it("is ended within a sort if its comparison runs for too long", async () => {
    const source = `const all = Array.from({ length: 20_000_000 }, (_, n) => n % 97);
      all.sort((a, b) => b - a); console.log("sorted");`;
    const ended = await run(source);
    expect(ended).toMatchObject({ exit_code: 1, stdout: "", stderr: expect.stringContaining("without a pause") });
  });

  it("can use files and folders that only its user can", async () => {
    const source = `const fs = require("node:fs");
      fs.mkdirSync("private", { mode: 0o700 });
      (async () => {
        const handle = await fs.promises.open("private/part.tmp", "wx", 0o600);
        await handle.writeFile("secret"); await handle.sync(); await handle.close();
        fs.renameSync("private/part.tmp", "private/whole");
        fs.appendFileSync("private/whole", "!");
        fs.chmodSync("private/whole", 0o400);
        console.log(fs.readFileSync("private/whole", "utf8"));
        try { fs.writeFileSync("private/whole", "x"); } catch (error) { console.log(error.code); }
      })();`;
    expect(await run(source)).toMatchObject({ ...good, stdout: "secret!\nEACCES\n" });
  });

  it("may listen to its input", async () => {
    const source = `let all = ""; await new Promise((done) => process.stdin.setEncoding("utf8").on("data", (d) => { all += d }).on("end", done)); console.log(all.toUpperCase());`;
    expect(await run(source, { input: "quiet" })).toMatchObject({ ...good, stdout: "QUIET\n" });
  });

  it("may export a function, whose answer is printed or is the exit code", async () => {
    expect(
      await run(
        "export default async ({ args, input, readFile }) => [...args, input, await readFile('data.txt')].join(' ')",
        { args: ["x"], input: "y" },
        { "data.txt": "z" },
      ),
    ).toMatchObject({ ...good, stdout: "x y z\n" });
    expect(await run("export default function main() { return { a: 1 } }")).toMatchObject({
      ...good,
      stdout: '{\n  "a": 1\n}\n',
    });
    expect(await run("export default () => 3")).toMatchObject({ exit_code: 3, killed: false });
    expect(await run("const main = () => 4; export { main as default };")).toMatchObject({ exit_code: 4 });
  });

  it("runs anew each time, with modules of TypeScript and data", async () => {
    const source =
      'import { twice } from "../lib/twice"; import data from "../data.json"; let n = 0; n++; export const unused = 1; console.log(twice(data.n), n);';
    const files = { "lib/twice.ts": "export const twice = (n: number): number => 2 * n;", "data.json": '{"n": 21}' };
    for (let round = 0; round < 3; round++)
      expect(await run(source, {}, files, "scripts/run.ts")).toMatchObject({ ...good, stdout: "42 1\n" });
  });

  it.each([
    ["process.exit(2); console.log('never')", { exit_code: 2, stdout: "" }],
    ["console.log('a'); try { process.exit() } catch {} console.log('b')", { exit_code: 0 }],
    ["process.exitCode = 5; console.log('done')", { exit_code: 5, stdout: "done\n" }],
    ["console.log('so far'); throw new Error('broken')", { exit_code: 1, stdout: "so far\n", stderr: /Error: broken/ }],
    ["throw { no: 'error' }", { exit_code: 1, stderr: /no/ }],
    ["require('left-pad')", { exit_code: 1, stderr: /Cannot find module 'left-pad'/ }],
    ["await new Promise(() => {})", { exit_code: 13, stderr: /unsettled top-level await/ }],
    ["await fetch('https://example.com')", { exit_code: 1, stderr: /There is no network/ }],
  ])("%s", async (source, seen) => {
    expect(await run(source)).toMatchObject({
      killed: false,
      ...("stderr" in seen ? { ...seen, stderr: expect.stringMatching(seen.stderr) } : seen),
    });
  });

  it("may write while its modules are read", async () => {
    const files = { "lib.js": "console.log('read'); export const n = 1;" };
    expect(await run("import { n } from '../lib.js'; console.log(n)", {}, files)).toMatchObject({
      ...good,
      stdout: "read\n1\n",
    });
  });

  it("is killed at its deadline, and its files are kept", async () => {
    const killed = await run(
      "console.log('one'); console.error('two'); for (;;) await new Promise((r) => setTimeout(r, 10));",
      { ms: 500 },
    );
    expect(killed).toMatchObject({
      exit_code: 137,
      stdout: "one\n",
      stderr: "two\n\nThe script was ended after 0.5s.",
      killed: true,
    });
    expect(killed.duration_ms).toBeLessThan(10_000);
  });

  it("ends when it never pauses", async () => {
    const looped = await run("console.log('begun'); for (;;);");
    expect(looped).toMatchObject({ exit_code: 1, stdout: "begun\n", killed: false });
    expect(looped.stderr).toMatch(/without a pause/);
  });

  it("writes no more than anybody reads", async () => {
    const much = await run(
      `for (let n = 0; n < 3_000; n++) { console.log("x".repeat(100)); console.error("x".repeat(100)); }`,
    );
    expect(much.exit_code).toBe(0);
    for (const output of [much.stdout, much.stderr]) {
      expect(output.length).toBeLessThan(CODE_LIMITS.outputChars + 200);
      expect(output).toMatch(/\(cut: /);
    }
  });

  it("that cannot run returns the reason", async () => {
    expect(await run("import 'https://example.com/x.js'")).toMatchObject({
      exit_code: 1,
      killed: false,
      stderr: expect.stringMatching(/Cannot find package 'https:/),
    });
  });
});
