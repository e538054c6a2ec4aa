// Instrumentation changes only the timing of code.

import { describe, expect, it } from "vitest";
import { applyEdits } from "../../src/domain/code/edits";
import { isProgram, parseModule } from "../../src/domain/code/syntax";
import { instrument } from "../../src/sandbox/instrument";
import { runOne } from "../support/run-code";

/** The output of each, as without instrumentation. */
const SOURCES: Record<string, [source: string, prints: string]> = {
  "loops without braces": [
    "let s = 0; for (let i = 0; i < 3; i++) for (const x of [1, 2]) s += x * i; let n = 3; while (n) n--; do n++; while (n < 4); console.log(s, n)",
    "9 4",
  ],
  "arrow functions of every kind": [
    "const f = x => y => ({ x, y }); const g = async (a = () => 1) => a(); const h = () => [1, () => 2]; console.log(JSON.stringify(f(1)(2)), await g(), h()[1]())",
    '{"x":1,"y":2} 1 2',
  ],
  "an arrow that ends its line without a semicolon": [
    "let t\nwhile (t === undefined) t = () => 5\nconsole.log(t())",
    "5",
  ],
  "labels, breaks and empty bodies": [
    "let k = 0; outer: for (;;) { for (;;) { if (++k > 2) break outer; continue outer } } for (let i = 0; i < 2; i++); console.log(k)",
    "3",
  ],
  classes: [
    "class A { #x = 1; static s = (() => 2)(); get v() { return this.#x } set v(n) { this.#x = n } *[Symbol.iterator]() { yield this.#x } static { this.t = 3 } async m() { return () => this.v } } class B extends A { constructor() { super(); this.v = 9 } } console.log([...new B()], A.s, A.t, (await new B().m())())",
    "[ 9 ] 2 3 9",
  ],
  generators: [
    "function* g() { for (let i = 0; ; i++) { if (i > 2) return; yield i } } async function* h() { for await (const x of g()) yield x * 2 } const all = []; for await (const x of h()) all.push(x); console.log(all)",
    "[ 0, 2, 4 ]",
  ],
  "default values and destructuring": [
    "const f = ({ a = (() => 1)(), ...r } = {}, [b] = [2]) => a + b + Object.keys(r).length; console.log(f(), f({ a: 2, z: 1 }))",
    "3 5",
  ],
  directives: ["function f() { 'use strict'; return this === undefined } console.log(f())", "true"],
  "comments at the end": ["const f = () => 1 // ends here\nconsole.log(f()) /* and here */", "1"],
  "template strings": ["const f = (n) => `\u0024{n > 0 ? `\u0024{f(n - 1)}\u0024{n}` : ''}`; console.log(f(3))", "123"],
  "names like the tick's own": [
    "const __tick = 1, __tick_ = 2; const f = () => __tick + __tick_; console.log(f())",
    "3",
  ],
};

describe("ticks", () => {
  it.each(Object.entries(SOURCES))("change nothing in %s", async (_, [source, prints]) => {
    const instrumented = instrument(source, "skill/x.js");
    expect(isProgram(parseModule(instrumented))).toBe(true);
    // Without the inserted calls, the code is unchanged.
    const plain = /^import\{tick as (\w+)\}from"[^"]+";/.exec(instrumented)!;
    const undone = instrumented
      .slice(plain[0].length)
      .replaceAll(`;${plain[1]}();`, "")
      .replaceAll(`{${plain[1]}();`, "{")
      .replaceAll(`(${plain[1]}(),`, "(");
    expect(undone.replaceAll(/[{}()]/g, "")).toBe(source.replaceAll(/[{}()]/g, ""));
    const { stdout, stderr } = await runOne({ name: "ticking", files: { "scripts/x.js": source } }, "scripts/x.js");
    expect(stderr).toBe("");
    expect(stdout).toBe(`${prints}\n`);
  });
});

describe("edits", () => {
  it("keep their order at one place", () => {
    expect(
      applyEdits("abc", [
        [1, 1, "1"],
        [1, 2, "X"],
        [0, 0, "0"],
        [3, 3, "3"],
      ]),
    ).toBe("0a1Xc3");
  });
});
