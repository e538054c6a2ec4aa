// A script ends when nothing in it waits any more, not after its first line.

import { describe, expect, it } from "vitest";
import { runOne } from "../support/run-code";

const run = (source: string, asked: Parameters<typeof runOne>[2] = {}) =>
  runOne({ name: "ending", files: { "scripts/run.js": source } }, "scripts/run.js", asked);

const LATE = `async function main() { await new Promise((done) => setTimeout(done, 20)); console.log("late"); }\nmain();`;
const MICRO = `async function main() { await null; await null; console.log("micro"); }\nmain();`;
const FAIL = `async function main() { await null; throw new Error("broken"); }\nmain();`;

describe("a script is over", () => {
  it.each([
    ["when what it started is done, though nobody awaits it", LATE, "late\n"],
    ["when its promises are settled", MICRO, "micro\n"],
    [
      "when the last of its timers has fired",
      "setTimeout(() => { console.log(1); setTimeout(() => console.log(2), 5) }, 5); console.log(0)",
      "0\n1\n2\n",
    ],
    [
      "when its interval is cleared",
      "let n = 0; const t = setInterval(() => { console.log(++n); if (n === 3) clearInterval(t) }, 2)",
      "1\n2\n3\n",
    ],
    ["when a timer is cleared", "const t = setTimeout(() => console.log('never'), 10_000); clearTimeout(t)", ""],
    [
      "when a timer is cleared by its number",
      "const t = +setTimeout(() => console.log('never'), 10_000); clearTimeout(t)",
      "",
    ],
    [
      "though a timer goes on that it does not wait for",
      "setInterval(() => {}, 5).unref(); console.log('done')",
      "done\n",
    ],
    [
      "when a timer that is waited for again has fired",
      "const t = setTimeout(() => console.log('fired', t.hasRef()), 10); t.unref(); t.ref()",
      "fired true\n",
    ],
    ["when a microtask is done", "queueMicrotask(() => console.log('soon'))", "soon\n"],
    [
      "when its input is read",
      "process.stdin.on('data', (d) => console.log(String(d).trim())).on('end', () => console.log('end'))",
      "in\nend\n",
    ],
    [
      "when its files are read",
      "export default ({ readFile }) => { readFile('SKILL.md').then((text) => console.log(text.length > 0)) }",
      "true\n",
    ],
    ["when a body is read, which the gateway does not track", "new Response('a').text().then(console.log)", "a\n"],
    ["when a blob is read", "new Blob(['a', 'b']).arrayBuffer().then((all) => console.log(all.byteLength))", "2\n"],
    [
      "when a digest is computed",
      "crypto.subtle.digest('SHA-256', new Uint8Array(1e6)).then((all) => console.log(all.byteLength))",
      "32\n",
    ],
    [
      "when a stream of the runtime has passed several steps",
      `const text = new Response("a".repeat(300_000)).body
        .pipeThrough(new CompressionStream("gzip")).pipeThrough(new DecompressionStream("gzip"))
        .pipeThrough(new TransformStream()).pipeThrough(new TextDecoderStream());
      new Response(text.pipeThrough(new TextEncoderStream())).text().then((all) => console.log(all.length));`,
      "300000\n",
    ],
    [
      "when a key is made and used",
      `const { subtle } = crypto;
      (async () => {
        const key = await subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt", "decrypt"]);
        const iv = new Uint8Array(12);
        const sealed = await subtle.encrypt({ name: "AES-GCM", iv }, key, new Uint8Array(10));
        console.log((await subtle.decrypt({ name: "AES-GCM", iv }, key, sealed)).byteLength);
      })();`,
      "10\n",
    ],
  ])("%s", async (_, source, stdout) => {
    const began = Date.now();
    expect(await run(source, { input: "in\n" })).toMatchObject({ exit_code: 0, stdout, stderr: "", killed: false });
    // A script whose end is not noticed takes 30 s.
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it.each([
    ["of nobody's promise", FAIL],
    ["of a timer", "setTimeout(() => { throw new Error('broken') }, 1); setTimeout(() => console.log('never'), 200)"],
    ["of an interval", "setInterval(() => { throw new Error('broken') }, 1)"],
    ["of a microtask", "queueMicrotask(() => { throw new Error('broken') })"],
    ["of a listener", "process.stdin.on('data', () => {}).on('end', () => { throw new Error('broken') })"],
    ["of a promise that a callback makes", "setTimeout(async () => { await null; throw new Error('broken') }, 1)"],
  ])("at an uncaught error %s", async (_, source) => {
    const ended = await run(source);
    expect(ended).toMatchObject({ exit_code: 1, stdout: "", killed: false });
    expect(ended.stderr).toMatch(/Error: broken\n\s+at /);
  });

  it("not at an error that its own listener handles", async () => {
    const thrown =
      "process.on('uncaughtException', (e) => console.log('caught', e.message)); setTimeout(() => { throw new Error('a') }, 1)";
    expect(await run(thrown)).toMatchObject({ exit_code: 0, stdout: "caught a\n", stderr: "" });
    const rejected =
      "process.on('unhandledRejection', (e) => console.log('caught', e.message)); Promise.reject(new Error('b'))";
    expect(await run(rejected)).toMatchObject({ exit_code: 0, stdout: "caught b\n", stderr: "" });
    const late = "const p = Promise.reject(new Error('c')); p.catch((e) => console.log('caught', e.message))";
    expect(await run(late)).toMatchObject({ exit_code: 0, stdout: "caught c\n", stderr: "" });
  });

  it("after its handlers: beforeExit can start new work, exit cannot", async () => {
    const source = `let n = 0;
      process.on("beforeExit", (code) => { console.log("before", code); if (n++ === 0) setTimeout(() => console.log("more"), 2) });
      process.on("exit", (code) => { console.log("exit", code); process.exitCode = 4; setTimeout(() => console.log("never"), 1) });`;
    expect(await run(source)).toMatchObject({ exit_code: 4, stdout: "before 0\nmore\nbefore 0\nexit 0\n", stderr: "" });
  });

  it("at its first process.exit, anywhere", async () => {
    const source = `process.on("exit", (code) => console.log("exit", code));
      setTimeout(() => { try { process.exit(3) } catch {} console.log("not heard"); process.exit(5) }, 2);
      setTimeout(() => console.log("never"), 200);`;
    expect(await run(source)).toMatchObject({ exit_code: 3, stdout: "exit 3\n", killed: false });
  });

  it("at its deadline where it holds a timer for ever", async () => {
    const ended = await run("console.log('held'); setInterval(() => {}, 10)", { ms: 400 });
    expect(ended).toMatchObject({ exit_code: 137, stdout: "held\n", killed: true });
  });

  it("separately, if two run at once", async () => {
    const source = `setTimeout(() => { if (process.argv[2] === "bad") throw new Error("mine"); console.log(process.argv[2]) }, 20)`;
    const skill = { name: "both", files: { "scripts/run.js": source } };
    const runs = await Promise.all(["a", "bad", "b"].map((arg) => runOne(skill, "scripts/run.js", { args: [arg] })));
    expect(runs.map((each) => [each.exit_code, each.stdout])).toEqual([
      [0, "a\n"],
      [1, ""],
      [0, "b\n"],
    ]);
  });
});
