// The table of fixtures, in every executor that claims the language.

import { describe, expect, it } from "vitest";
import type { Language } from "../../src/domain/code/language";
import { runOne } from "../support/run-code";
import { ENDING } from "./fixtures/ending";
import type { Fixture } from "./fixtures/fixture";

const ENDINGS: Partial<Record<Language, string>> = { javascript: ".js", python: ".py" };
const TABLE: Record<string, Record<string, Fixture>> = { "the end of a script": ENDING };

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
