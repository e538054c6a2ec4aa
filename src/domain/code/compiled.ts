// The code of a version as it is stored beside its package: each module ready to run, what it imports, and what is wrong with it.

import * as z from "zod";
import { closure } from "./graph";

const moduleSchema = z.lazy(() =>
  z.object({
    /** Its name in an isolate. Imports in `source` are relative to it. */
    name: z.string(),
    source: z.string(),
    /** Paths of the package's files that it imports. */
    imports: z.array(z.string()),
  }),
);

const functionSchema = z.lazy(() =>
  z.object({
    /** See `FileFunction` in function.ts. */
    source: z.string(),
    kind: z.enum(["commonjs", "module"]),
    imports: z.array(z.string()),
    isAsync: z.boolean(),
  }),
);

export const storedCodeSchema = z.lazy(() =>
  z.object({
    format: z.literal(1),
    /** What the provider needs, by path in the package. */
    modules: z.record(z.string(), moduleSchema),
    /** Those of them that cannot run, by path, and why. */
    problems: z.record(z.string(), z.string()),
    /** Scripts and what they may require, by path; and those that cannot run. Absent in what an earlier gateway has compiled. */
    functions: z.record(z.string(), functionSchema).optional(),
    faults: z.record(z.string(), z.string()).optional(),
  }),
);

/** `packages/<version_id>.modules.json`. */
export type StoredCode = z.infer<typeof storedCodeSchema>;

/** What an isolate gets for a provider: sources by module name. A name that ends in `.json` is data. */
export interface Runnable {
  entry: string;
  sources: Record<string, string>;
}

/** The modules that a provider needs. A text says why it cannot run. */
export function runnable(code: StoredCode, path: string): Runnable | string {
  const paths = closure(code.modules, path);
  for (const needed of paths) {
    const problem = code.problems[needed];
    if (problem !== undefined) return `${needed}: ${problem}`;
    if (code.modules[needed] === undefined) return `${needed} is missing.`;
  }
  const sources: Record<string, string> = {};
  for (const needed of paths) {
    const found = code.modules[needed];
    if (found !== undefined) sources[found.name] = found.source;
  }
  const entry = code.modules[path];
  return entry === undefined ? `${path} is missing.` : { entry: entry.name, sources };
}

/** What an isolate gets for the scripts of a package. */
export type RunnableScripts = Required<Pick<StoredCode, "functions" | "faults">>;

/** `null` where an earlier gateway compiled the package: it is to be compiled again. */
export function runnableScripts({ functions, faults }: StoredCode): RunnableScripts | null {
  return functions === undefined || faults === undefined ? null : { functions, faults };
}
