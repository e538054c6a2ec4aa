// The compiler in its isolate: its result equals the domain's, and no package occupies it for long.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { compilePackage, judgeScripts } from "../../src/domain/code/compile";
import { CODE_LIMITS } from "../../src/domain/limits";
import { readPackage } from "../../src/domain/package/package";
import { compileInIsolate } from "../../src/sandbox/compiling";
import { type SkillFixture, skillZip } from "../support/skill";

async function read(skill: SkillFixture) {
  const { package: found, issues } = await readPackage(skillZip(skill), {});
  if (found === null) throw new Error(JSON.stringify(issues));
  return found;
}

/** Bytes that cannot be compressed. */
const noise = (length: number) => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  return bytes;
};
const apart = { loader: env.LOADER, assets: env.ASSETS };
const answering = (response: () => Response) => ({ fetch: async () => response() });
/** The loader. `asked` receives the name of each isolate before it is used. */
const recording = (asked: (name: string) => void) =>
  Object.assign(Object.create(env.LOADER), {
    load: (code: WorkerLoaderWorkerCode) => env.LOADER.load(code),
    get: (name: string, load: () => Promise<WorkerLoaderWorkerCode>) => {
      asked(name);
      return env.LOADER.get(name, load);
    },
  });
const JUDGE = "export const judgeScripts = () => [];";
/** Each level makes the parser of types try both ways, so twenty levels take a million times as long as one. */
const EXPONENTIAL = `const x = ${"async <T>(a = ".repeat(40)}1${")".repeat(40)};`;

describe("the compiler's isolate", () => {
  it.each<[string, SkillFixture]>([
    ["nothing but a prompt", {}],
    ["tools without code", { frontmatter: "tools: [act]" }],
    [
      "modules of every kind among other files",
      {
        frontmatter: "provider: { module: provider, class: P }\ntools: [act]",
        files: {
          "a.bin": new Uint8Array(5_000).fill(255),
          "data.json": '{"a":1}',
          "notes.md": "é".repeat(3_000),
          "provider.ts": 'import data from "./data.json"; export class P { a: number = data.a }',
          "scripts/ü.mjs": 'import { P } from "../provider"; export default () => new P();',
          "z.txt": "last",
        },
      },
    ],
    [
      "modules that are wrong",
      {
        files: {
          "scripts/a.ts": "const a: = 1",
          "scripts/b.js": 'import "./not-there.js"',
          "scripts/c.js": noise(CODE_LIMITS.moduleBytes + 1),
          "scripts/d.json": "{",
          "scripts/e.js": new Uint8Array([0xff, 0xfe, 0xfd]),
        },
      },
    ],
  ])("compiles %s as the domain does", async (_, skill) => {
    const found = await read(skill);
    const { compiled, ...made } = await compilePackage(found);
    expect(await compileInIsolate(apart, found)).toEqual({ ...made, scripts: judgeScripts(found, compiled) });
  });

  it("judges Python where it gives up on the JavaScript beside it, and the other way round", {
    tags: ["slow"],
  }, async () => {
    const python = { "scripts/a.py": "import numpy" };
    const spent = await compileInIsolate(apart, await read({ files: { ...python, "scripts/x.ts": EXPONENTIAL } }));
    expect(spent.scripts).toMatchObject([{ path: "scripts/a.py", runs: "remote", line: 1 }]);
    // Each handler repeats the search of all earlier ones.
    const endless = `try:\n${" import a\n".repeat(30_000)}${"except ImportError: pass\n".repeat(20_000)}`;
    const hostile = await compileInIsolate(
      apart,
      await read({ files: { "scripts/a.py": endless, "scripts/x.js": "1" } }),
    );
    expect(hostile.scripts).toBeNull();
    expect(Object.keys(hostile.code?.functions ?? {})).toEqual(["scripts/x.js"]);
    expect(hostile.warnings).toEqual([]);
  });

  it("gives up on code that takes too much work, with an error, every time", async () => {
    const found = await read({ files: { "scripts/x.ts": EXPONENTIAL, "scripts/y.js": "1" } });
    const compiled = await compileInIsolate(apart, found);
    expect(compiled.warnings.map(({ code }) => code)).toEqual(["CODE_NOT_COMPILED"]);
    const why = "The package's code is too complex to compile.";
    expect(compiled.code?.faults?.["scripts/y.js"]).toBe(why);
    expect(await compileInIsolate(apart, found)).toEqual(compiled);
  });

  it("leaves nothing behind for the next package", async () => {
    const found = await read({ files: { "scripts/x.js": "console.log(1)" } });
    await compileInIsolate(apart, await read({ files: { "scripts/x.ts": EXPONENTIAL } }));
    expect((await compileInIsolate(apart, found)).warnings).toEqual([]);
  });

  it("is used again for the next packages of a user, by one call at a time, and by nobody else", async () => {
    const names: string[] = [];
    const loader = recording((name) => names.push(name));
    /** Compiles and returns the isolates that were asked. */
    const used = async (owner: string, skill: SkillFixture) => {
      const before = names.length;
      const { scripts } = await compileInIsolate({ loader, assets: env.ASSETS }, await read(skill), owner);
      return { scripts, names: names.slice(before) };
    };
    const good = { files: { "scripts/x.js": "console.log(1)" } };
    const [owner, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const first = await used(owner, good);
    expect(first.scripts).toMatchObject([{ path: "scripts/x.js", runs: "isolate" }]);
    await used(owner, { files: { "scripts/x.ts": EXPONENTIAL } });
    const third = await used(owner, good);
    expect(third.scripts).toEqual(first.scripts);
    // An isolate can end between two calls, so that there is a second one.
    expect(new Set(names).size).toBeLessThan(3);
    const ofOwner = new Set(names);
    const foreign = await used(other, good);
    expect(foreign.names.filter((name) => ofOwner.has(name))).toEqual([]);
    const before = names.length;
    await Promise.all([used(owner, good), used(owner, good)]);
    expect(new Set(names.slice(before)).size).toBeGreaterThan(1);
  });

  it("is replaced after it broke", async () => {
    const names: string[] = [];
    let broken: string | undefined;
    const loader = recording((name) => {
      names.push(name);
      if (name === broken) throw new Error("It used too much memory.");
    });
    const found = await read({ files: { "scripts/x.js": "console.log(1)" } });
    const owner = crypto.randomUUID();
    const compiled = () => compileInIsolate({ loader, assets: env.ASSETS }, found, owner);
    const first = await compiled();
    broken = names[0];
    expect(await compiled()).toEqual(first);
    expect(new Set(names).size).toBe(2);
  });

  it.each<[string, Pick<Fetcher, "fetch">]>([
    ["is missing", answering(() => new Response(null, { status: 404 }))],
    ["cannot be fetched", { fetch: () => Promise.reject(new Error("down")) }],
    ["is no module", answering(() => new Response("}"))],
    [
      "answers something else",
      answering(() => new Response(`${JUDGE} export const compilePackage = async () => ({ code: 1 })`)),
    ],
    [
      "dies",
      answering(() => new Response(`${JUDGE} export const compilePackage = async () => { throw new Error('dead') }`)),
    ],
  ])("puts compiling off when the compiler %s", async (_, assets) => {
    const found = await read({ files: { "scripts/x.js": "console.log(1)" } });
    const { code, warnings } = await compileInIsolate({ loader: env.LOADER, assets }, found);
    expect(code).toBeNull();
    expect(warnings.map((warning) => warning.code)).toEqual(["CODE_NOT_COMPILED"]);
  });

  it("is not needed where nothing could run", async () => {
    const found = await read({ files: { "scripts/x.js": "console.log(1)" } });
    const { code, warnings } = await compileInIsolate({ assets: answering(() => new Response("}")) }, found);
    expect(code).toBeNull();
    expect(warnings).toMatchObject([{ code: "CODE_NOT_RUN", severity: "info" }]);
  });
});
