// Scripts of the kinds that skills bring, and what python3 makes of them: expected.json says which, expect.py wrote it.

import type { ScriptRun } from "../../../src/sandbox/executor";
import expected from "./expected.json";

export interface PythonCase {
  name: string;
  source: string;
  args: string[];
  input: string;
  expected: { exit: number; stdout: string; last: string; written: Record<string, string | number> };
}

const sources = import.meta.glob<string>("./scripts/*.py", { query: "?raw", import: "default", eager: true });
const told = new Map(Object.entries(expected.scripts as Record<string, PythonCase["expected"]>));

export const CASES: PythonCase[] = Object.entries(sources).flatMap(([path, source]) => {
  const name = path.slice("./scripts/".length, -".py".length);
  const of = told.get(name);
  if (of === undefined) throw new Error(`expected.json does not know ${name}: run expect.py`);
  const args: string[] = JSON.parse(/^# args: (.*)$/m.exec(source)?.[1] ?? "[]");
  const input: string = JSON.parse(/^# input: (.*)$/m.exec(source)?.[1] ?? '""');
  return [{ name, source, args, input, expected: of }];
});

/** In what a run differs from what was expected; empty when in nothing. The last line of stderr stands for all of it. */
export function differences({ expected: { exit, stdout, last, written } }: PythonCase, run: ScriptRun): string[] {
  const files = Object.fromEntries(
    run.files
      .filter(({ path }) => path.startsWith("/workspace/"))
      .map(({ path, bytes }) => {
        const name = path.slice("/workspace/".length);
        return [name, typeof written[name] === "number" ? bytes.length : new TextDecoder().decode(bytes)];
      }),
  );
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return [
    ...(run.exit_code === exit ? [] : [`exit ${run.exit_code}, not ${exit}`]),
    ...(run.stdout === stdout ? [] : [`stdout ${JSON.stringify(run.stdout)}, not ${JSON.stringify(stdout)}`]),
    ...(same(files, written) ? [] : [`files ${JSON.stringify(files)}, not ${JSON.stringify(written)}`]),
    ...((run.stderr.trim().split("\n").at(-1) ?? "") === last
      ? []
      : [`stderr ends ${JSON.stringify(run.stderr.trim().split("\n").at(-1))}, not ${JSON.stringify(last)}`]),
  ];
}
