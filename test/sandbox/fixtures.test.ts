// The table of fixtures, in every executor that supports the language.

import { describe, expect, it } from "vitest";
import type { Language } from "../../src/domain/code/language";
import { SCRIPT_FILES } from "../../src/domain/code/script-limits";
import { runOne } from "../support/run-code";
import { ENDING } from "./fixtures/ending";
import { FILES, MANY_FILES } from "./fixtures/files";
import type { Fixture } from "./fixtures/fixture";

const ENDINGS: Partial<Record<Language, string>> = { javascript: ".js", python: ".py", shell: ".sh" };
const TABLE: Record<string, Record<string, Fixture>> = {
  "the end of a script": ENDING,
  "the files of a script": FILES,
};

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytesOf = (text: string) => new TextEncoder().encode(text);

for (const [about, fixtures] of Object.entries(TABLE)) {
  for (const [language, ending] of Object.entries(ENDINGS) as [Language, string][]) {
    const rows = Object.entries(fixtures).filter(([, { script }]) => script[language] !== undefined);
    describe(`${about}, in ${language}`, () => {
      it.each(rows)("%s", async (_, fixture) => {
        const path = `scripts/run${ending}`;
        const skill = { name: "fixture", files: { ...fixture.package, [path]: fixture.script[language] ?? "" } };
        const { args = [], input = "", stderr = /^$/ } = fixture;
        const files = Object.entries(fixture.files ?? {}).map(([path, text]) => ({ path, bytes: bytesOf(text) }));
        const run = await runOne(skill, path, { args, input, files });
        expect({ exit: run.exit_code, stdout: run.stdout }).toEqual({ exit: fixture.exit, stdout: fixture.stdout });
        if (stderr !== null) expect(run.stderr).toMatch(stderr);
        const written = run.files.map(({ path, bytes }) => [path, textOf(bytes)]);
        expect(Object.fromEntries(written)).toEqual(fixture.written ?? {});
      });
    });
  }
}

describe("files written by a script", () => {
  it("is taken out as far as there is room, and the rest is named", async () => {
    const source = `const fs = require("fs"); fs.writeFileSync("/tmp/last", ""); for (let n = 100; n < 100 + ${MANY_FILES}; n++) fs.writeFileSync("f" + n, String(n));`;
    const { files, left } = await runOne({ name: "many", files: { "scripts/run.js": source } }, "scripts/run.js");
    expect(files.map(({ path }) => path)).toEqual(
      Array.from({ length: SCRIPT_FILES.outFiles }, (_, n) => `/workspace/f${100 + n}`),
    );
    const names = [...[120, 121, 122, 123, 124].map((n) => `/workspace/f${n}`), "/tmp/last"];
    expect(left).toEqual(names.map((path) => ({ path, reason: "TOO_MANY" })));
  });

  it.each([
    [
      "run.js",
      `const fs = require("fs"); for (let n = 0; n < 3_000; n++) fs.writeFileSync("/tmp/" + n, "x"); console.log("done");`,
    ],
    ["run.sh", `for n in {1..3000}; do echo x > "/tmp/$n"; done\necho done`],
    ["run.py", `for n in range(3000): open(f"/tmp/{n}", "w").write("x")\nprint("done")`],
  ])("may be thousands of files: %s", async (name, source) => {
    const run = await runOne({ name: "thousands", files: { [`scripts/${name}`]: source } }, `scripts/${name}`);
    expect(run).toMatchObject({ exit_code: 0, stdout: "done\n", killed: false });
    expect([run.files.length, run.left.length]).toEqual([SCRIPT_FILES.outFiles, SCRIPT_FILES.outFiles]);
  });
});
