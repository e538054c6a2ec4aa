// Schema of the compiled code of a version, stored next to its package: each module, its imports and its problems.

import * as z from "zod";
import { closure } from "./graph";

const moduleSchema = z.lazy(() =>
  z.object({
    /** The module's name in an isolate. Imports in `source` are relative to it. */
    name: z.string(),
    source: z.string(),
    /** Paths of the imported files of the package. */
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
    /** Modules that the provider needs, by path in the package. */
    modules: z.record(z.string(), moduleSchema),
    /** Reasons why modules cannot run, by path. */
    problems: z.record(z.string(), z.string()),
    /** Scripts and their dependencies by path, and those that cannot run. Absent in code compiled by an earlier version of the gateway. */
    functions: z.record(z.string(), functionSchema).optional(),
    faults: z.record(z.string(), z.string()).optional(),
  }),
);

/** Stored as `packages/<version_id>.modules.json`. */
export type StoredCode = z.infer<typeof storedCodeSchema>;

/** The input of a provider's isolate: sources by module name. A name that ends in `.json` is data. */
export interface Runnable {
  entry: string;
  sources: Record<string, string>;
}

/** Returns the modules that a provider needs, or the reason why it cannot run. */
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

/** The input of an isolate that runs scripts of a package. */
export type RunnableScripts = Required<Pick<StoredCode, "functions" | "faults">>;

/** Returns `null` if an earlier version of the gateway compiled the package. It must be compiled again. */
export function runnableScripts({ functions, faults }: StoredCode): RunnableScripts | null {
  return functions === undefined || faults === undefined ? null : { functions, faults };
}
