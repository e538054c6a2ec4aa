// ES modules compiled to functions: they behave the same, keep their line numbers, and can only access what they receive.

import { describe, expect, it } from "vitest";
import { type FileFunction, fileFunction } from "../../../src/domain/code/function";

type Namespace = Record<string, unknown>;

async function made(text: string, kind: FileFunction["kind"] | null = null): Promise<FileFunction> {
  const file = await fileFunction(text, kind);
  if ("message" in file) throw new Error(file.message);
  return file;
}

/** Evaluates modules by name, like the harness, and returns the namespace of the first. */
async function evaluate(modules: Record<string, string>, name = Object.keys(modules)[0] ?? ""): Promise<Namespace> {
  const done = new Map<string, Namespace>();
  const load = async (specifier: string): Promise<Namespace> => {
    const before = done.get(specifier);
    if (before !== undefined) return before;
    const namespace: Namespace = Object.create(null);
    done.set(specifier, namespace);
    const { source, imports } = await made(modules[specifier] ?? "", "module");
    const imported: Namespace[] = [];
    let stars = (): Namespace[] => [];
    const exporter = (getters: Record<string, () => unknown>, starred: () => Namespace[]) => {
      for (const [key, get] of Object.entries(getters))
        Object.defineProperty(namespace, key, { enumerable: true, get });
      stars = starred;
    };
    const make = new Function(`return (${source})`)();
    const body = make.call(
      undefined,
      imported,
      exporter,
      load,
      { url: `file:///${specifier}` },
      (value: unknown) => value,
    );
    await body.next();
    for (const each of imports) imported.push(await load(each));
    for (const star of stars())
      for (const key of Object.keys(star))
        if (key !== "default") Object.defineProperty(namespace, key, { enumerable: true, get: () => star[key] });
    await body.next();
    return namespace;
  };
  return load(name);
}

const LIB =
  "export let n = 1; export const inc = () => { n++ }; export function self() { return this } export default class Lib {}; const x = 7; export { x as seven, x as 'odd name' };";

describe("an ES module as a function", () => {
  it.each<[string, string, unknown]>([
    [
      "imports by name, by default and as a whole",
      "import Lib, { n, seven as s } from 'lib'; import * as all from 'lib'; export const r = [n, s, Lib.name, all.seven];",
      [1, 7, "Lib", 7],
    ],
    [
      "sees bindings change",
      "import { n, inc } from 'lib'; const before = n; inc(); export const r = [before, n];",
      [1, 2],
    ],
    [
      "calls what it imports without a this",
      "import { self } from 'lib'; export const r = self() === undefined;",
      true,
    ],
    [
      "calls what it imports where a line ends without a semicolon",
      "import { n, self } from 'lib'\nlet a = n\nself()\nexport const r = a",
      1,
    ],
    [
      "hides an import behind names of its own",
      "import { n, seven } from 'lib'; const f = (n) => n; function g() { var seven = 2; { let n = 3; seven += n } return seven } const h = ({ n: m = n, ...seven }) => [m, Object.keys(seven).length]; for (const n of [5]) f(n); try { throw 1 } catch (n) { f(n) } export const r = [f(4), g(), h({ z: 1 }), class n { static a = typeof n }.a];",
      [4, 5, [1, 1], "function"],
    ],
    [
      "writes an import into an object",
      "import { n } from 'lib'; export const r = { n, m: n, ['k' + n]: 1, n2() { return n } }.n2() + Object.keys({ n }).join();",
      "1n",
    ],
    [
      "has labels, members and keys of the same letters",
      "import { n } from 'lib'; const o = { n: 5, p: { n: 6 } }; n: for (;;) { break n } class C { n = 8; #n = 9; get() { return this.#n } } export const r = [o.n, o.p.n, o['n'], new C().n, new C().get(), n];",
      [5, 6, 5, 8, 9, 1],
    ],
    [
      "uses an import in a template and as a tag",
      ["import { n, seven } from 'lib'; export const r = `a$", "{n}$", "{`b$", "{seven}`}`;"].join(""),
      "a1b7",
    ],
    [
      "exports what it destructures",
      "export const { a, b: [c], ...d } = { a: 1, b: [2], e: 3 }; export const r = [a, c, d.e];",
      [1, 2, 3],
    ],
    [
      "passes on what others export",
      "export * from 'lib'; export { default as Lib, n as one } from 'lib'; export * as all from 'lib'; import * as self from 'main'; export const r = [self.one, self.seven, self.all.n, self.Lib.name];",
      [1, 7, 1, "Lib"],
    ],
    [
      "exports by default what has no name",
      "export default (a => a + 1)\nimport main from 'main'; export const r = main(1);",
      2,
    ],
    [
      "awaits at its top",
      "const a = await Promise.resolve(1); let s = 0; for await (const x of [1, 2]) s += x; export const r = [a, s];",
      [1, 3],
    ],
    [
      "imports when it runs",
      "export const r = [(await import('lib')).n, (await import(('li' + 'b'), { with: {} })).seven, typeof (await import(/* a ) */ 'lib' /* b */)).inc];",
      [1, 7, "function"],
    ],
    ["knows where it is", "export const r = [import.meta.url, typeof import.meta];", ["file:///main", "object"]],
    [
      "has names that the rewriting would like to have",
      "const __imported = 1, __export = 2, __call = 3, __meta = 4, __import = 5, __default = 6; import { n } from 'lib'; export default n; export const r = [__imported, __export, __call, __meta, __import, __default];",
      [1, 2, 3, 4, 5, 6],
    ],
    ["is strict", "export const r = (function () { return this === undefined })();", true],
    ["begins with a hashbang and a mark", "\uFEFF#!/usr/bin/env node\nexport const r = 1;", 1],
    ["ends with a comment", "export const r = 1 // }", 1],
  ])("%s", async (_, main, r) => {
    expect((await evaluate({ main, lib: LIB })).r).toEqual(r);
  });

  it("sees the functions of a module that imports it in a circle", async () => {
    const modules = {
      a: "import { b } from 'b'; export function a() { return 'a' } export const r = b();",
      b: "import { a } from 'a'; export const b = () => a() + 'b';",
    };
    expect((await evaluate(modules)).r).toBe("ab");
  });

  it("keeps all line numbers", async () => {
    const text =
      "import {\n  n,\n} from 'lib';\nexport {\n  x\n} from 'lib';\nexport default\n  function () { throw new Error() }\n";
    const { source } = await made(text);
    expect(source.split("\n").length).toBe(text.split("\n").length + 1);
    expect(source.split("\n")[7]).toContain("function ()");
  });
});

describe("a file", () => {
  it.each<[string, string, FileFunction["kind"]]>([
    ["is CommonJS where it reads as that", "const a = require('a'); return", "commonjs"],
    ["may be sloppy there", "with ({ a: 1 }) a; var yield = 010; delete yield", "commonjs"],
    ["is a module where it imports", "import 'a'", "module"],
    ["is a module where it awaits", "await 1", "module"],
    ["is a module where it asks where it is", "import.meta.url", "module"],
  ])("%s", async (_, text, kind) => {
    expect((await made(text)).kind).toBe(kind);
  });

  it.each<[string, string, FileFunction["kind"] | null]>([
    ["closes its function", "}); process.exit(); (function () {", null],
    ["closes its function after a return", "return 1 } process.exit(); {", null],
    ["closes its generator", "export const a = 1; } process.exit(); {", null],
    ["hides its end in a comment that is none in a module", "export const a = 1 <!-- b; }\n", null],
    ["is no JavaScript", "def main():\n  pass", null],
    ["has a module's words where it is none", "export const a = 1", "commonjs"],
    ["is nested without end", `a = ${"[".repeat(30_000)}${"]".repeat(30_000)}`, null],
  ])("is refused that %s", async (_, text, kind) => {
    expect(await fileFunction(text, kind)).toHaveProperty("message");
  });

  it("may speak of comments that begin with <!--", async () => {
    const text =
      "export const r = ['<!-- a -->', `<!--`, /<!--/.source]; // <!--\nconst a = 1, b = 2; export const s = a < !--b;";
    const { r } = await evaluate({ main: text.replace("--b", "-b") });
    expect(r).toEqual(["<!-- a -->", "<!--", "<!--"]);
  });
});
