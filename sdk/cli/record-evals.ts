// Records the results of a skill's cases on a gateway, and prints the cases that passed with the version before.

import * as z from "zod";
import { evalText } from "../../src/domain/insights/evals";
import { EVAL_LIMITS } from "../../src/domain/limits";
import { tell, type Work } from "./context";
import { type NamedSkill, readSkill } from "./folder";
import type { Gateway } from "./gateway";
import { oneLineOf } from "./print";
import { EXIT, Problem } from "./problem";
import { findNamed, SKILLS } from "./resolve";

const recordedSchema = z.looseObject({
  id: z.string(),
  version_id: z.string().nullable(),
  version: z.string().nullable(),
  regressions: z
    .looseObject({ version_id: z.string(), version: z.string().nullable(), cases: z.array(z.string()) })
    .nullable(),
});
export type RecordedEvals = z.infer<typeof recordedSchema>;

/** The result of a case. The name identifies the case in later versions. */
export interface CaseResult {
  name: string;
  passed: boolean;
  reason?: string;
}

/** A skill of the gateway, and the content of the folder before its cases ran. */
export interface Tested {
  id: string;
  digest: string;
}

/** Returns the digest of a folder's content, as the gateway computes it. */
async function digestOf(skill: NamedSkill): Promise<string> {
  const { package: found } = await readSkill(await skill.zip(), `${skill.name}.zip`);
  if (found === null)
    throw new Problem(EXIT.refused, `${skill.name} is not valid, so nothing can be recorded. Run \`skillgate check\`.`);
  return found.digest;
}

/** Finds the skill that results will be recorded for. `as`: its name or id on the gateway. */
export async function findTested(gateway: Gateway, skill: NamedSkill, as: string): Promise<Tested> {
  const digest = await digestOf(skill);
  const found = await findNamed(gateway, as).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.exit !== EXIT.absent) throw error;
    const message = `The gateway has no skill '${as}' to record results for. Push it first: \`skillgate push\`.`;
    throw new Problem(EXIT.absent, message);
  });
  return { id: found.metadata.labels.id, digest };
}

/** Records results. Rejects if the folder changed while its cases ran, because the results are then of no content. */
export async function recordResults(
  gateway: Gateway,
  skill: NamedSkill,
  { id, digest }: Tested,
  results: readonly CaseResult[],
): Promise<RecordedEvals> {
  if (results.length > EVAL_LIMITS.cases)
    throw new Problem(
      EXIT.refused,
      `The skill has too many cases to record (limit ${EVAL_LIMITS.cases}). Remove some, or use --only.`,
    );
  if ((await digestOf(skill)) !== digest)
    throw new Problem(
      EXIT.conflict,
      "The folder changed while the cases ran. Nothing was recorded. Run the test again.",
    );
  const json = { digest, runner: "skillgate test", cases: distinct(results) };
  return gateway.read(recordedSchema, `${SKILLS}/${id}/evals`, { method: "POST", json });
}

/** Shortens names and reasons, and numbers names that are then equal. */
function distinct(results: readonly CaseResult[]): CaseResult[] {
  const seen = new Map<string, number>();
  return results.map(({ name, passed, reason }) => {
    const short = evalText(name, EVAL_LIMITS.nameChars - SUFFIX_CHARS);
    const count = (seen.get(short) ?? 0) + 1;
    seen.set(short, count);
    const one = { name: count === 1 ? short : `${short} (${count})`, passed };
    return reason === undefined ? one : { ...one, reason: evalText(reason, EVAL_LIMITS.reasonChars) };
  });
}

/** Room for the number behind a repeated name. */
const SUFFIX_CHARS = 6;

export function tellRecorded(work: Work, { version, version_id, regressions }: RecordedEvals): void {
  const content =
    version_id === null
      ? "These files are not published yet. `skillgate push` without --bump reports what fails compared with the current version."
      : `They belong to version ${version ?? version_id}.`;
  tell(work, `The results are recorded. ${content}`);
  if (regressions === null) return;
  tell(
    work,
    `Passed with ${regressions.version ?? regressions.version_id}, and ${regressions.cases.length === 1 ? "fails" : "fail"} now:`,
  );
  for (const name of regressions.cases) tell(work, `  ${oneLineOf(name, EVAL_LIMITS.nameChars)}`);
}
