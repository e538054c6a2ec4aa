// Scripts as authors write them, against what Node 22 made of them: twelve of those that `npm run test:scripts` runs all of.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import casesJson from "../scripts/node/cases.json?raw";
import expectedJson from "../scripts/node/expected.json?raw";
import { runOne } from "../support/run-code";

const files = z.record(z.string(), z.string());
const casesSchema = z.object({
  package: files,
  cases: z.record(
    z.string(),
    z.object({ script: z.string(), args: z.array(z.string()), input: z.string(), given: files }).partial(),
  ),
});
const expectedSchema = z.record(z.string(), z.object({ exit: z.number(), stdout: z.string(), files }));

const { package: brought, cases } = casesSchema.parse(JSON.parse(casesJson));
const expected = expectedSchema.parse(JSON.parse(expectedJson));
const texts = import.meta.glob<string>("../scripts/node/*.{js,mjs,ts}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const scripts = Object.fromEntries(
  Object.entries(texts).map(([path, text]) => [`scripts/${path.split("/").at(-1)}`, text]),
);

const CHOSEN =
  `csv-to-json.js csv-missing.js toc.mjs stdin-async.mjs stdin-bad-json.js hash.js gzip.js class-cli.js lib-user.js
lib-user.mjs fs-many.js uncaught.js`.split(/\s+/);

describe("a Node script", () => {
  it.each(CHOSEN)("%s does as in Node", async (name) => {
    const { script = name, args = [], input = "", given = {} } = cases[name] ?? {};
    const placed = Object.entries(given).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
    const skill = { name: "scripts", files: { ...brought, ...scripts } };
    const run = await runOne(skill, `scripts/${script}`, { args, input, files: placed });
    const written = Object.fromEntries(run.files.map(({ path, bytes }) => [path, btoa(String.fromCharCode(...bytes))]));
    expect({ exit: run.exit_code, stdout: run.stdout, files: written }).toEqual({
      exit: expected[name]?.exit,
      stdout: expected[name]?.stdout,
      files: expected[name]?.files,
    });
  });
});
