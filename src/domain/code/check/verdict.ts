// Types of the verdict on a script, determined without running it.

import * as z from "zod";

/**
 * `isolate`: runs in the gateway. `partly`: starts in the gateway, but an import for a part of its work is missing. `remote`: needs
 * processes or programs that the gateway does not have. `nowhere`: cannot run at all.
 */
export const RUNS = ["isolate", "partly", "remote", "nowhere"] as const;

/** What a script needs that isolates do not have. An executor can have it. */
export const scriptNeedsSchema = z.lazy(() =>
  z.object({
    /** Top-level Python modules that it imports. */
    modules: z.array(z.string()).exactOptional(),
    /** Python packages that its skill declares, as PEP 508 writes them. */
    requirements: z.array(z.string()).exactOptional(),
    /** Programs that it calls. */
    commands: z.array(z.string()).exactOptional(),
  }),
);

export type ScriptNeeds = z.infer<typeof scriptNeedsSchema>;

/** The number of stored needs of a kind, and the length of each. */
const NEEDS = 60;
const NEED_CHARS = 200;

export const scriptVerdictSchema = z.lazy(() =>
  z.object({
    /** Path in the package. */
    path: z.string(),
    runs: z.enum(RUNS),
    /** The deciding reason. Absent for scripts that run. */
    reason: z.string().exactOptional(),
    /** The line in the script that the reason refers to, if there is one. */
    line: z.number().exactOptional(),
    /** Absent for scripts that need nothing, and in versions published before this field existed. */
    needs: scriptNeedsSchema.exactOptional(),
  }),
);

export type ScriptVerdict = z.infer<typeof scriptVerdictSchema>;

/** The verdict for one import or one command. */
export type Judgement = Omit<ScriptVerdict, "path">;

/** Returns the most restrictive verdict, with the needs of all. Of equal ones, the first. */
export function worst(verdicts: readonly Judgement[]): Judgement {
  let found: Judgement = { runs: "isolate" };
  for (const verdict of verdicts) if (RUNS.indexOf(verdict.runs) > RUNS.indexOf(found.runs)) found = verdict;
  const needs = union(verdicts.flatMap((verdict) => verdict.needs ?? []));
  return needs === null ? found : { ...found, needs };
}

/** Returns everything that is needed, or `null` if nothing is. */
export function union(all: readonly ScriptNeeds[]): ScriptNeeds | null {
  const merged = (["modules", "requirements", "commands"] as const).flatMap((kind) => {
    const names = new Set(all.flatMap((needs) => needs[kind] ?? []).filter(({ length }) => length <= NEED_CHARS));
    return names.size === 0 ? [] : [[kind, [...names].slice(0, NEEDS)] as const];
  });
  return merged.length === 0 ? null : Object.fromEntries(merged);
}

/** Returns a name from the package, formatted for display. */
export function shownName(name: string): string {
  return `'${name.slice(0, 100)}'`;
}
