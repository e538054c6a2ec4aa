// Runs Python in an isolate that stays warm: one package, with a new script for each run.

import type { ScriptRun } from "../../src/sandbox/executor";
import { runOne } from "./run-code";

const SKILL = {
  name: "warm",
  files: {
    "scripts/main.py": "",
    "scripts/helper.py": "def f():\n    return 'helper'\n",
    "data/x.txt": "hällo\n",
  },
};

export interface PythonRun {
  exit: number;
  out: string;
  err: string;
  files: Record<string, string>;
  run: ScriptRun;
}

type Asked = Parameters<typeof runOne>[2] & { workspace?: Record<string, string>; path?: string };

export async function runPython(
  source: string,
  { workspace = {}, path = "scripts/main.py", ...asked }: Asked = {},
): Promise<PythonRun> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const files = Object.entries({ [`/skill/${path}`]: source, ...workspace });
  const run = await runOne(SKILL, path, {
    ms: 20_000,
    ...asked,
    files: files.map(([path, text]) => ({ path, bytes: bytes(text) })),
  });
  const written = run.files.map(({ path, bytes: content }) => [path, new TextDecoder().decode(content)] as const);
  return { exit: run.exit_code, out: run.stdout, err: run.stderr, files: Object.fromEntries(written), run };
}

/** Returns the last line of a traceback. */
export const lastOf = (text: string) => text.trim().split("\n").at(-1) ?? "";
