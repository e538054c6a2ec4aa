// Records runs of a skill's test cases, and reports them to those who see its usage.

import { GatewayError } from "../../domain/errors";
import { type EvalCase, type Regressions, storedCase } from "../../domain/insights/evals";
import { EVAL_LIMITS } from "../../domain/limits";
import { constraintOf } from "../../storage/d1/database";
import { insertEvalRun, readContentOf, readEvalRun, readEvalRuns } from "../../storage/d1/registry/evals";
import type { SkillHead } from "../../storage/d1/skills";
import type { Context } from "../context";
import { countToday } from "../quota";
import { regressionsIn } from "./regressions";
import { findSkillFor, skillNotFound, versionNotFound } from "./skills";

/** A run to record. */
interface NewEvalRun {
  /** The tested version, or the digest of content that is not published yet. */
  content: { versionId: string } | { digest: string };
  runner: string | null;
  model: string | null;
  cases: readonly EvalCase[];
}

/** A recorded run. */
export interface RecordedEvals {
  id: string;
  /** The version that has the content; `null`: it is not published. */
  version: { id: string; label: string | null } | null;
  passed: number;
  failed: number;
  regressions: Regressions | null;
}

/** Records a run. For those who can publish the skill. Counts as an upload of today. */
export async function recordEvals(context: Context, skillId: string, run: NewEvalRun): Promise<RecordedEvals> {
  const { content, runner, model } = run;
  const [skill, digest] = await Promise.all([
    findSkillFor(context, "change", skillId),
    "digest" in content ? content.digest : readContentOf(context.db, skillId, content.versionId),
  ]);
  if (digest === null) throw versionNotFound();
  await countToday(context, "uploads");
  const cases = run.cases.map(storedCase);
  const passed = cases.filter((one) => one.passed).length;
  const row = {
    ...{ id: context.newId("evr"), skillId: skill.id, digest, createdBy: context.caller.principal.userId },
    ...{ runner, model, passed, failed: cases.length - passed, cases },
  };
  const { version, comparison } = await insertEvalRun(context.db, row, EVAL_LIMITS).catch((error: unknown) => {
    // The skill was deleted meanwhile.
    throw constraintOf(error) === null ? error : skillNotFound();
  });
  return { id: row.id, version, passed, failed: row.failed, regressions: regressionsIn(comparison) };
}

/** Returns the runs of a skill, newest first. For users who can see its usage. */
export async function listEvals(context: Context, skillId: string) {
  const skill = await findSkillFor(context, "measure", skillId);
  return { skill, runs: await readEvalRuns(context.db, skill.id, EVAL_LIMITS.perSkill) };
}

/** Returns a run with its cases. For users who can see the usage of the skill. */
export async function findEvals(context: Context, skillId: string, runId: string) {
  const skill: SkillHead = await findSkillFor(context, "measure", skillId);
  const run = await readEvalRun(context.db, skill.id, runId);
  if (run === null)
    throw new GatewayError("not_found", "EVAL_RUN_NOT_FOUND", "Run not found. Check the id, or list the runs.");
  return { skill, run };
}
