// Types of the verdict on a script, determined without running it.

import * as z from "zod";

/**
 * `isolate`: runs in the gateway. `partly`: starts in the gateway, but an import for a part of its work is missing. `remote`: needs
 * processes or programs that the gateway does not have. `nowhere`: cannot run at all.
 */
export const RUNS = ["isolate", "partly", "remote", "nowhere"] as const;

export const scriptVerdictSchema = z.lazy(() =>
  z.object({
    /** Path in the package. */
    path: z.string(),
    runs: z.enum(RUNS),
    /** The deciding reason. Absent for scripts that run. */
    reason: z.string().exactOptional(),
    /** The line in the script that the reason refers to, if there is one. */
    line: z.number().exactOptional(),
  }),
);

export type ScriptVerdict = z.infer<typeof scriptVerdictSchema>;

/** The verdict for one import or one command. */
export type Judgement = Omit<ScriptVerdict, "path">;

/** Returns the most restrictive verdict. Of equal ones, the first. */
export function worst(verdicts: readonly Judgement[]): Judgement {
  let found: Judgement = { runs: "isolate" };
  for (const verdict of verdicts) if (RUNS.indexOf(verdict.runs) > RUNS.indexOf(found.runs)) found = verdict;
  return found;
}

/** Returns a name from the package, formatted for display. */
export function shownName(name: string): string {
  return `'${name.slice(0, 100)}'`;
}
