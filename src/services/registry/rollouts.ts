// Rolls a version out to a part of the conversations, and compares it with the current one.

import { GatewayError } from "../../domain/errors";
import { type ComparedVersion, deleteRollout, putRollout, readComparison } from "../../storage/d1/registry/rollouts";
import type { SkillRecord } from "../../storage/d1/skills";
import { readVersionPackage } from "../../storage/d1/versions";
import { audited } from "../audit";
import type { Context } from "../context";
import { isReviewRequired, requireReviewed } from "./reviewed";
import { activate, findSkillFor, versionNotFound } from "./skills";

/** A rollout in progress. */
export type RolloutInProgress = ComparedVersion & { percent: number };

/** Returns the rollout of a skill. For users who can see its figures. */
export async function findRollout(context: Context, id: string): Promise<RolloutInProgress> {
  const skill = await findSkillFor(context, "measure", id);
  return requireRollout(await readComparison(context.db, skill.id));
}

function requireRollout(found: ComparedVersion | null): RolloutInProgress {
  const percent = found?.percent ?? null;
  if (found === null || percent === null)
    throw new GatewayError("not_found", "ROLLOUT_NOT_FOUND", "The skill has no rollout. Start one with PUT.");
  return { ...found, percent };
}

/**
 * Starts a rollout of a version, or changes its share of the conversations. Another candidate starts a new rollout.
 *
 * @param candidate id or label of a version
 */
export async function setRollout(
  context: Context,
  id: string,
  { candidate, percent }: { candidate: string; percent: number },
): Promise<RolloutInProgress> {
  const skill = await findSkillFor(context, "activate", id);
  const [version, mustBeReviewed] = await Promise.all([
    readVersionPackage(context.db, id, candidate),
    isReviewRequired(context, skill.scope),
  ]);
  if (version === null) throw versionNotFound();
  if (mustBeReviewed) await requireReviewed(context, skill.scope, version.versionId);
  const recorded = audited(context, "skill.rollout.put", id, {
    after: { version_id: version.versionId, percent },
    when: { thing: "is", type: "skill", id },
  });
  if (await putRollout(recorded, skill, { candidateId: version.versionId, percent }))
    return requireRollout(await readComparison(context.db, id));
  throw new GatewayError(
    "conflict",
    "ROLLOUT_IMPOSSIBLE",
    "The version cannot be rolled out: it is the current version or yanked, or the skill has no current version. Choose another version.",
  );
}

/**
 * Makes the candidate the current version, which ends the rollout.
 *
 * @param expected id or label of the candidate that the caller has seen; `null`: whichever it is
 */
export async function promoteRollout(context: Context, id: string, expected: string | null): Promise<SkillRecord> {
  const skill = await findSkillFor(context, "activate", id);
  const { candidateId, candidateLabel } = requireRollout(await readComparison(context.db, skill.id));
  if (expected !== null && expected !== candidateId && expected !== candidateLabel)
    throw new GatewayError(
      "conflict",
      "OTHER_CANDIDATE",
      `The rollout has another candidate now ('${candidateLabel ?? candidateId}'). Check it before you promote it.`,
    );
  return activate(context, id, candidateId);
}

/** Ends a rollout: all conversations use the current version from their next turn on. */
export async function stopRollout(context: Context, id: string): Promise<void> {
  const skill = await findSkillFor(context, "activate", id);
  const recorded = audited(context, "skill.rollout.stop", id, { when: { thing: "is", type: "skill", id } });
  if (!(await deleteRollout(recorded, skill))) requireRollout(null);
}
