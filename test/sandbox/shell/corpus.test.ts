// Shell scripts as authors write them, against what bash 5.2 made of them: some of those that `npm run test:scripts` runs all of.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import casesJson from "../../scripts/shell/cases.json?raw";
import expectedJson from "../../scripts/shell/expected.json?raw";
import { runOne } from "../../support/run-code";

const files = z.record(z.string(), z.string());
const casesSchema = z.object({
  package: files,
  cases: z.record(
    z.string(),
    z.object({ script: z.string(), args: z.array(z.string()), input: z.string(), given: files }).partial(),
  ),
});
const expectedSchema = z.record(
  z.string(),
  z.object({ exit: z.number(), stdout: z.string(), stderr: z.string().optional(), files }),
);

const { package: brought, cases } = casesSchema.parse(JSON.parse(casesJson));
const expected = expectedSchema.parse(JSON.parse(expectedJson));
const texts = import.meta.glob<string>("../../scripts/shell/*.sh", { query: "?raw", import: "default", eager: true });
const scripts = Object.fromEntries(
  Object.entries(texts).map(([path, text]) => [`scripts/${path.split("/").at(-1)}`, text]),
);

const CHOSEN =
  `todo.sh toc.sh csv-summary.sh log-levels.sh frontmatter.sh scaffold.sh semver.sh temp-work-fails getopts-missing
python-inside.sh node-inside.sh retry.sh state.sh menu.sh strings.sh numbers.sh pipefail.sh`.split(/\s+/);

describe("a shell script of an author", () => {
  it.each(CHOSEN)("%s does as in bash", async (name) => {
    const { script = name, args = [], input = "", given = {} } = cases[name] ?? {};
    const placed = Object.entries(given).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
    const skill = { name: "scripts", files: { ...brought, ...scripts } };
    const run = await runOne(skill, `scripts/${script}`, { args, input, files: placed, ms: 20_000 });
    const written = Object.fromEntries(run.files.map(({ path, bytes }) => [path, btoa(String.fromCharCode(...bytes))]));
    expect({ exit: run.exit_code, stdout: run.stdout, files: written }).toEqual({
      exit: expected[name]?.exit,
      stdout: expected[name]?.stdout,
      files: expected[name]?.files,
    });
  });
});
