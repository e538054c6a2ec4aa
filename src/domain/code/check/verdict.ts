// What is said of a script before anybody runs it.

import * as z from "zod";

/**
 * `isolate`: it runs here. `partly`: it begins here, and what it imports for a part of its work is not here. `remote`: it needs what only
 * a machine has. `nowhere`: not even that.
 */
export const RUNS = ["isolate", "partly", "remote", "nowhere"] as const;

export const scriptVerdictSchema = z.lazy(() =>
  z.object({
    /** In its package. */
    path: z.string(),
    runs: z.enum(RUNS),
    /** What decides; absent of what runs. */
    reason: z.string().exactOptional(),
    /** Where in the script that stands, if it is one place of it. */
    line: z.number().exactOptional(),
  }),
);

export type ScriptVerdict = z.infer<typeof scriptVerdictSchema>;

/** What one import, or one command, means for a script. */
export type Judgement = Omit<ScriptVerdict, "path">;

/** That which leaves least; of those the first. */
export function worst(verdicts: readonly Judgement[]): Judgement {
  let found: Judgement = { runs: "isolate" };
  for (const verdict of verdicts) if (RUNS.indexOf(verdict.runs) > RUNS.indexOf(found.runs)) found = verdict;
  return found;
}

/** A name that an author wrote, as it is shown. */
export function shownName(name: string): string {
  return `'${name.slice(0, 100)}'`;
}
