// The code of a version as it is stored beside its package: each module ready to run, what it imports, and what is wrong with it.

import * as z from "zod";
import { applyEdits, type Edit } from "./edits";
import { closure } from "./graph";

const moduleSchema = z.lazy(() =>
  z.object({
    /** Its name in an isolate. Imports in `source` are relative to it. */
    name: z.string(),
    source: z.string(),
    /** Paths of the package's files that it imports. */
    imports: z.array(z.string()),
    /** What makes a script of it; absent for JSON. */
    script: z.array(z.tuple([z.number(), z.number(), z.string()])).optional(),
  }),
);

export const storedCodeSchema = z.lazy(() =>
  z.object({
    format: z.literal(1),
    /** By path in the package. */
    modules: z.record(z.string(), moduleSchema),
    /** Files that cannot run, by path, and why. */
    problems: z.record(z.string(), z.string()),
  }),
);

/** `packages/<version_id>.modules.json`. */
export type StoredCode = z.infer<typeof storedCodeSchema>;

/** What an isolate gets: sources by module name. A name that ends in `.json` is data. */
export interface Runnable {
  entry: string;
  sources: Record<string, string>;
}

/** The modules that an entry needs, as provider code or as a script. A text says why it cannot run. */
export function runnable(code: StoredCode, path: string, as: "provider" | "script"): Runnable | string {
  const paths = closure(code.modules, path);
  for (const needed of paths) {
    const problem = code.problems[needed];
    if (problem !== undefined) return `${needed}: ${problem}`;
    if (code.modules[needed] === undefined) return `${needed} is not there.`;
  }
  const sources: Record<string, string> = {};
  for (const needed of paths) {
    const found = code.modules[needed];
    if (found !== undefined) sources[found.name] = found.source;
  }
  const entry = code.modules[path];
  if (entry === undefined) return `${path} is not there.`;
  if (as === "provider") return { entry: entry.name, sources };
  const name = `${entry.name}.run.js`;
  sources[name] = applyEdits(entry.source, (entry.script ?? []) as Edit[]);
  return { entry: name, sources };
}
