// Hostile Node scripts: each ends with a reason by its deadline, reaches nothing, and does not affect other scripts.

import { describe, expect, it } from "vitest";
import { runOne } from "../support/run-code";

/** What each does, and its expected output or error. */
const CORPUS: Record<string, [source: string, seen: RegExp, path?: string]> = {
  "a loop without end": ["for (;;);", /without a pause/],
  "a loop of callbacks without end": [
    "process.nextTick(function again() { process.nextTick(again) })",
    /ended after|without a pause/,
  ],
  "microtasks without end": [
    "const again = () => Promise.resolve().then(again); again()",
    /ended after|without a pause/,
  ],
  "recursion without end": ["const deep = () => deep(); deep()", /Maximum call stack|without a pause/],
  "a timer that is held for ever": ["setInterval(() => {}, 5)", /ended after/],
  "intervals without number": [
    "for (let n = 0; n < 5_000; n++) setInterval(() => {}, 1)",
    /ended after|without a pause/,
  ],
  "output without end": ["for (;;) console.log('x'.repeat(10_000))", /without a pause|cut: /],
  "files without end": [
    "const fs = require('fs'); for (let n = 0; ; n++) fs.writeFileSync('/tmp/f' + n, 'x'.repeat(1e6))",
    /ENOSPC|without a pause/,
  ],
  "a file that grows without end": [
    "const fs = require('fs'); for (;;) fs.appendFileSync('/tmp/f', 'x'.repeat(1e6))",
    /ENOSPC|without a pause/,
  ],
  "a file with a hole": [
    "require('fs').truncateSync((require('fs').writeFileSync('/tmp/f', ''), '/tmp/f'), 1e12)",
    /ENOSPC/,
  ],
  "links in a circle": [
    "const fs = require('fs'); fs.symlinkSync('/tmp/b', '/tmp/a'); fs.symlinkSync('/tmp/a', '/tmp/b'); fs.readFileSync('/tmp/a')",
    /ELOOP/,
  ],
  "the runtime's own process": [
    "const own = process.getBuiltinModule('node:process'); console.log(own === process, process.getBuiltinModule('fs') === require('fs'))",
    /true true/,
  ],
  "a process.exit of the runtime": ["process.getBuiltinModule('process').exit(4)", /^$/],
  "a forged line of the log by descriptor": [
    "require('fs').writeSync(1, '{\"event\":\"forged\"}\\n'); require('fs').writeSync(2, 'x')",
    /forged/,
  ],
  "modules of the runtime": [
    "for (const name of ['cloudflare:workers', 'cloudflare:sockets', 'workerd:unsafe', 'node:inspector', 'node:sea', '../gateway/node.js', '/bundle/gateway/node.js', '/skill/../gateway/main.js']) try { require(name); console.log('GOT', name) } catch (error) { console.log(error.code) }",
    /^(?:(?:MODULE_NOT_FOUND|ERR_UNKNOWN_BUILTIN_MODULE)\n){8}$/,
  ],
  "what the runtime gives to modules": [
    "console.log([typeof require, typeof module, typeof exports, typeof __filename, typeof __dirname].join()); require('node:fs')",
    /^(?:undefined,?){5}\n(?:Type|Reference)Error: require/,
    "scripts/bad.mjs",
  ],
  "an import of the runtime": [
    "import('cloudflare:workers').then(() => console.log('GOT'), (error) => console.log(error.code))",
    /ERR_MODULE_NOT_FOUND/,
  ],
  "code from text": [
    "for (const make of [() => eval('1'), () => new Function('return 1')(), () => (() => {}).constructor('return process')(), () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))]) try { make(); console.log('GOT') } catch (error) { console.log(error.name) }",
    /^(?:EvalError\n|CompileError\n){4}$/,
  ],
  "a stack that gives its frames": [
    "Error.prepareStackTrace = (_, frames) => frames.map((frame) => [frame.getThis(), frame.getFunction()]); const seen = new Error().stack; console.log(seen.flat().some((value) => value?.host !== undefined || value?.env !== undefined))",
    /false/,
  ],
  prototypes: [
    "Object.prototype.polluted = true; Array.prototype.push = () => { throw new Error('bent') }; Promise.prototype.then = undefined; console.log('bent')",
    /bent|ended|TypeError/,
  ],
  "the files of the runtime": [
    "const fs = require('fs'); for (const path of ['/bundle', '/proc/self/environ', '/etc/passwd', '../../../bundle']) console.log(fs.existsSync(path))",
    /^(?:false\n){4}$/,
  ],
  "a program": ["try { require('child_process').execSync('id') } catch (error) { console.log(error.status) }", /127/],
  "another's address by every means": [
    "const say = (name) => (error) => console.log(name, /not permitted|not implemented|internet|not available|disallowed|refused|failed|proxy|ENOTFOUND/i.test(String(error?.message ?? error?.code ?? error))); fetch('https://example.com').catch(say('fetch')); require('https').get('https://example.com').on('error', say('https')); try { require('net').connect(80, 'example.com').on('error', say('net')) } catch (error) { say('net')(error) }",
    /^(?=[\s\S]*fetch true)(?=[\s\S]*https true)(?=[\s\S]*net true)/,
  ],
  "a function that is closed early": ["}); console.log('OUT'); (function () {", /scripts\/bad\.js: /],
  "a comment that hides its end": ["export const a = 1 <!-- b; }\n", /scripts\/bad\.mjs: /, "scripts/bad.mjs"],
};

describe("hostile Node scripts", () => {
  it.each(Object.entries(CORPUS))("%s", async (_, [source, seen, path = "scripts/bad.js"]) => {
    const attempt = async () => {
      const began = Date.now();
      const ended = await runOne({ name: "hostile-node", files: { [path]: source } }, path, { ms: 1_500 });
      // It must not hang; a busy machine takes longer.
      expect(Date.now() - began).toBeLessThan(20_000);
      return ended;
    };
    let run = await attempt();
    // On a busy machine the time limit can come first.
    for (let again = 0; again < 4 && run.reason === "timeout" && !seen.test(run.stdout + run.stderr); again++)
      run = await attempt();
    expect(run.stdout + run.stderr).toMatch(seen);
    expect(run.stdout).not.toMatch(/GOT|OUT/);
    const sound = {
      name: "sound",
      files: { "scripts/good.js": "console.log([1, 2].length, require('fs').readdirSync('/tmp').length)" },
    };
    expect(await runOne(sound, "scripts/good.js")).toMatchObject({ exit_code: 0, stdout: "2 0\n" });
  });
});
