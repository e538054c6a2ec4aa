// Real scripts, compared with their own interpreter: at least twelve in each language. `npm run test:scripts` runs all.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { differences } from "../scripts/compare.mjs";
import { runOne } from "../support/run-code";

const files = z.record(z.string(), z.string());
const casesSchema = z.object({
  package: files,
  cases: z.record(
    z.string(),
    z.object({ script: z.string(), args: z.array(z.string()), input: z.string(), given: files }).partial(),
  ),
});
const runSchema = z.object({ exit: z.number(), stdout: z.string(), stderr: z.string(), files });

/** The files of test/scripts, by path. */
const texts = import.meta.glob<string>("../scripts/*/*", {
  query: "?raw",
  import: "default",
  eager: true,
});
const below = (folder: string) =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([path, text]) => {
      const [, , of, name] = path.split("/");
      return of === folder && name !== undefined ? [[name, text]] : [];
    }),
  );

const CHOSEN: Record<string, string> = {
  node: `csv-to-json.js csv-missing.js toc.mjs stdin-async.mjs stdin-bad-json.js hash.js gzip.js class-cli.js lib-user.js lib-user.mjs
fs-many.js uncaught.js`,
  python: `argparse-report.py argparse-missing.py async-gather.py class-traceback.py csv-report.py exit-text.py input-loop.py
json-broken.py sqlite.py svg-chart.py write-files.py zip-pack.py`,
  shell: `todo.sh toc.sh csv-summary.sh log-levels.sh frontmatter.sh scaffold.sh semver.sh temp-work-fails getopts-missing
python-inside.sh node-inside.sh retry.sh state.sh menu.sh strings.sh numbers.sh pipefail.sh`,
};

describe.each(Object.entries(CHOSEN))("scripts of %s", (folder, chosen) => {
  const { "cases.json": table = "", "expected.json": known = "", ...sources } = below(folder);
  const { package: brought, cases } = casesSchema.parse(JSON.parse(table));
  const expected = z.record(z.string(), runSchema).parse(JSON.parse(known));
  const scripts = Object.fromEntries(Object.entries(sources).map(([name, text]) => [`scripts/${name}`, text]));

  it.each(chosen.split(/\s+/))("%s has the result of its own interpreter", async (name) => {
    const { script = name, args = [], input = "", given = {} } = cases[name] ?? {};
    const placed = Object.entries(given).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
    const skill = { name: "scripts", files: { ...brought, ...scripts } };
    const run = await runOne(skill, `scripts/${script}`, { args, input, files: placed, ms: 20_000 });
    const written = run.files.map(({ path, bytes }) => [path, btoa(String.fromCharCode(...bytes))]);
    const here = { exit: run.exit_code, stdout: run.stdout, stderr: run.stderr, files: Object.fromEntries(written) };
    expect(differences(here, runSchema.parse(expected[name]))).toEqual([]);
  });
});
