// Hostile code for the sandbox, each with the result that the model receives.

import { CODE_LIMITS } from "../../src/domain/limits";

/** Time limit of every tool here, in seconds. */
export const TIMEOUT = 1;
/** Long enough for a request, which times out one second before its tool. */
const asking = { timeout: 3 };

export interface Row {
  /** The body of the tool. */
  call: string;
  top?: string;
  config?: object;
  files?: Record<string, string>;
  /** Text of the result. A regular expression where the wording depends on the engine. */
  sees: string | RegExp;
  isError?: boolean;
}

export const timedOut = `Tool 'bad' timed out after ${TIMEOUT}s`;
export const tooLong = `Tool 'bad' failed: RangeError: It ran for more than ${CODE_LIMITS.localCpuMs} ms without a pause.`;

export const CORPUS: Record<string, Row> = {
  // Time
  "an endless loop": { call: "for (;;);", sees: tooLong },
  "an endless loop that asks at its end": { call: "do {} while (true);", sees: tooLong },
  "an endless loop over a set that grows": {
    call: "const all = new Set([0]); for (const n of all) { all.delete(n); all.add(n + 1); }",
    sees: tooLong,
  },
  "an endless loop that catches what ends it": {
    call: "while (true) { try { for (;;); } catch {} }",
    sees: tooLong,
  },
  "an endless recursion that catches what ends it": {
    call: "(function again() { try { for (;;); } finally { again(); } })()",
    sees: tooLong,
  },
  "an endless loop in a generator": {
    call: "function* all() { while (true) yield 1; } return [...all()];",
    sees: tooLong,
  },
  "an endless loop while the module is read": { top: "for (;;);", call: "", sees: /without a pause/ },
  "an endless loop in the class": { top: "class Never { static { for (;;); } }", call: "", sees: /without a pause/ },
  "an endless loop of promises": { call: "for (;;) await null;", sees: tooLong },
  "an endless loop of promises without a loop": {
    call: "const again = () => Promise.resolve().then(again); await again();",
    sees: tooLong,
  },
  "an endless loop of timers": {
    call: "for (;;) await new Promise((resolve) => setTimeout(resolve, 5));",
    sees: timedOut,
  },
  "a promise that never settles": { call: "return new Promise(() => {});", sees: timedOut },
  "an endless loop in a getter of the answer": { call: "return { get content() { for (;;); } };", sees: tooLong },
  "an endless loop in toJSON": { call: "return { toJSON() { for (;;); } };", sees: tooLong },
  "a thenable that never settles": { call: "return { then() {} };", sees: timedOut },
  // Memory
  "memory without end": {
    call: "const held = []; for (;;) held.push(new Array(10_000).fill(held.length));",
    sees: /without a pause|memory|Array/,
  },
  "output without end": { call: "for (;;) console.log('x'.repeat(1_000));", sees: tooLong },
  "an answer that is too large": {
    call: `return 'x'.repeat(${CODE_LIMITS.answerChars});`,
    sees: `Tool 'bad' failed: it returned too much data (limit ${CODE_LIMITS.answerChars} characters)`,
  },
  "deep recursion": {
    call: "const deep = (n) => 1 + deep(n + 1); return deep(0);",
    sees: /Maximum call stack size exceeded/,
  },
  "an answer nested too deeply": {
    call: "let deep = {}; for (let n = 0; n < 500; n++) deep = { deep }; return deep;",
    sees: "Tool 'bad' failed: it returned a value that is nested too deeply",
  },
  // Network and environment
  fetch: { call: "await fetch('https://example.com/');", sees: /There is no network/ },
  "fetch of the gateway itself": {
    call: "await fetch('http://127.0.0.1:8787/health');",
    sees: /There is no network/,
  },
  "a socket": { call: "new WebSocket('wss://example.com/');", sees: /not permitted|internet|WebSocket/ },
  "an event source": {
    call: "return new Promise((resolve, reject) => { new EventSource('https://example.com/').onerror = (event) => reject(event.error ?? new Error('closed')); });",
    sees: /not permitted|closed|timed out/,
  },
  "a cache": { call: "await caches.default.match('https://example.com/');", sees: /./, isError: true },
  "a module from the network": {
    call: "return import('https://example.com/evil.js');",
    sees: /imports 'https:\/\/example.com\/evil.js', which is not in the package/,
  },
  "a module whose name is computed": {
    call: "return import(args.which);",
    sees: /An import path is computed/,
  },
  "a module of the gateway": {
    call: "return Object.keys(await import('../gateway/harness.js'));",
    sees: /imports '..\/gateway\/harness.js', which is not in the package/,
  },
  "a module of the runtime": {
    top: "import { env } from 'cloudflare:workers';",
    call: "return env;",
    sees: /imports 'cloudflare:workers', which is not in the package/,
  },
  "a socket of the runtime": {
    top: "import { connect } from 'cloudflare:sockets';",
    call: "return connect('example.com:80');",
    sees: /imports 'cloudflare:sockets', which is not in the package/,
  },
  "a module of Node": {
    top: "import { readFileSync } from 'node:fs';",
    call: "return readFileSync('/etc/passwd', 'utf8');",
    sees: /imports 'node:fs', which is not in the package/,
  },
  "a file outside the package": {
    top: "import '../../secret.js';",
    call: "",
    sees: /imports '..\/..\/secret.js', which is not in the package/,
  },
  eval: { call: "return eval('1 + 1');", sees: /Code generation from strings disallowed/ },
  "new Function": { call: "return new Function('return 1')();", sees: /Code generation from strings disallowed/ },
  "the constructor of functions": {
    call: "return (async () => {}).constructor('return 1')();",
    sees: /Code generation from strings disallowed/,
  },
  "what is global": {
    call: "return [typeof require, typeof Buffer, typeof env, typeof process, Object.keys(globalThis).filter((key) => /env|host|gateway|secret/i.test(key))];",
    sees: '["undefined","undefined","undefined","undefined",[]]',
    isError: false,
  },
  "everything that its context has": {
    call: "return Object.keys(context).sort().join();",
    sees: "config,emit,env,log,readFile,request,skillName,subtaskId,taskId,userId,userName",
    isError: false,
  },
  "a file of somebody else": {
    call: "return context.readFile('../../other/SKILL.md');",
    sees: /The skill has no file/,
  },
  "a path that is none": {
    call: "return context.readFile({ toString: () => 'SKILL.md' });",
    sees: /The path of readFile must be a string/,
  },
  // Values that cross the boundary
  "a polluted answer": {
    call: `return JSON.parse('{"content":[{"type":"text","text":"ok"}],"__proto__":{"isError":true},"structuredContent":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}');`,
    sees: "ok",
    isError: false,
  },
  "a polluted answer without content": {
    call: `return JSON.parse('{"a":1,"__proto__":{"polluted":1}}');`,
    sees: '{"a":1}',
    isError: false,
  },
  "a getter that throws": {
    call: "return { get content() { throw new Error('no'); } };",
    sees: "Tool 'bad' failed: no",
  },
  "a getter that throws something without a text": {
    call: "return { get content() { throw { toJSON() { throw 1; }, toString() { throw 2; } }; } };",
    sees: "Tool 'bad' failed: a value that cannot be shown",
  },
  "a function": { call: "return () => 1;", sees: /It answered a function, which is no JSON/ },
  "functions in the answer": { call: "return { run() {}, n: 1 };", sees: '{"n":1}', isError: false },
  "a proxy": {
    call: "return new Proxy({}, { get() { throw new Error('no'); }, ownKeys() { throw new Error('no'); } });",
    sees: "Tool 'bad' failed: no",
  },
  "a proxy that claims to be a promise": {
    call: "return new Proxy({}, { get: (_, key) => key === 'then' ? () => {} : undefined });",
    sees: timedOut,
  },
  "a cycle": { call: "const a = {}; a.a = a; return a;", sees: /circular structure/ },
  "a big integer": { call: "return { n: 10n };", sees: /BigInt/ },
  nothing: { call: "", sees: "", isError: false },
  "content that is none": { call: "return { content: 'hello' };", sees: /returned an invalid result: content/ },
  "a block of no known type": {
    call: "return { content: [{ type: 'script', text: 'x' }] };",
    sees: /returned an invalid result: content.0.type/,
  },
  "an image that is no base64": {
    call: "return { content: [{ type: 'image', mimeType: 'image/png', data: '<script>' }] };",
    sees: /returned an invalid result: content.0.data/,
  },
  "throwing nothing": { call: "throw null;", sees: "Tool 'bad' failed: null" },
  "throwing undefined": { call: "throw undefined;", sees: "Tool 'bad' failed: undefined" },
  "an error with more than a message": {
    call: "throw Object.assign(new Error('x'.repeat(100_000)), { host: context });",
    sees: /^Tool 'bad' failed: x{2000}$/,
  },
  "a bent JSON": {
    top: 'JSON.stringify = () => \'{"ok":true,"value":"bent"}\'; JSON.parse = () => ({ over: true });',
    call: "return 'straight';",
    sees: "straight",
    isError: false,
  },
  "bent promises": {
    top: "Promise.prototype.then = function () { return this; }; globalThis.Promise = class {};",
    call: "for (;;) await new Promise((resolve) => setTimeout(resolve, 5));",
    sees: /./,
    isError: true,
  },
  // The host
  "10 000 calls of the host": {
    call: "for (let n = 0; n < 10_000; n++) await context.readFile('SKILL.md'); return 'all';",
    sees: `Tool 'bad' failed: it called the gateway more than ${CODE_LIMITS.hostCalls} times`,
  },
  "10 000 calls of the host at once": {
    call: "await Promise.all(Array.from({ length: 10_000 }, () => context.readFile('SKILL.md'))); return 'all';",
    sees: `Tool 'bad' failed: it called the gateway more than ${CODE_LIMITS.hostCalls} times`,
  },
  "a request that claims an id": {
    config: asking,
    call: "return context.request('ask', { request_id: 'req_of_somebody_else' }, 10, 7);",
    sees: '{"success":false,"error":"No page is connected to this conversation."}',
    isError: false,
  },
  "a request with no name": { call: "return context.request({ action: 'x' });", sees: /The action is not valid/ },
  "a request for ever": {
    config: asking,
    call: "return context.request('ask', {}, Infinity);",
    sees: /No page is connected/,
    isError: false,
  },
  "a payload that is too large": {
    call: "return context.request('ask', 'x'.repeat(1_000_000));",
    sees: /Payload too large/,
  },
  "a payload with functions": {
    config: asking,
    call: "return context.request('ask', { run() {}, n: new Map() });",
    sees: /No page is connected/,
    isError: false,
  },
  // The module
  "a module with a syntax error": { top: "const = 1;", call: "", sees: /provider.js: Unexpected token \(line 1\)/ },
  "a module that throws": { top: "throw new Error('not today');", call: "", sees: "Tool 'bad' failed: not today" },
  "a module that imports what is not exported": {
    top: "import { missing } from './other.js';",
    files: { "other.js": "export const there = 1;" },
    call: "return missing;",
    sees: /does not provide an export named 'missing'|Failed|SyntaxError/,
  },
};
