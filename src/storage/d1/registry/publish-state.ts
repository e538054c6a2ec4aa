// Reads what an upload depends on before it is published: the existing skill, and the room left in its scope.

import { and, eq, or, sql } from "drizzle-orm";
import type { ReviewPolicy } from "../../../domain/settings/settings";
import type { Database } from "../database";
import { groupReview } from "../review/approval";
import { skills, versions } from "../schema/registry";
import { counting, countingSkills, type SkillsUsed, skillsUsed, type Use } from "../usage";
import { type EvalComparison, selectComparison } from "./evals";

/** The existing skill, its versions with the same content or label, and the results of the other queries. */
export interface PublishState {
  skill: { id: string; name: string; versionId: string } | null;
  versions: { id: string; digest: string; label: string | null; yankedAt: number | null }[];
  /** Totals of the requested scope; zero if none was requested. */
  used: SkillsUsed;
  /** The recorded test results of the content and of the version before. */
  evals: EvalComparison;
  /** The group's own choice for reviews. */
  ofGroup: ReviewPolicy | null;
  /** The count of the use including this one; 0 if nothing was counted. */
  count: number;
}

/** No scope and no group has this name. */
const NO_SCOPE = "";

/** Finds the skill by id, or by the folded name in a scope. In the same round trip, counts the contents of the scope and one more use. */
export async function readPublishState(
  db: Database,
  skill: { id: string } | { scope: string; folded: string },
  content: { digest: string; label: string | null },
  asked: { scope: string | null; use: Use | null; group: string | null },
): Promise<PublishState> {
  const which =
    "id" in skill ? eq(skills.id, skill.id) : and(eq(skills.scope, skill.scope), eq(skills.folded, skill.folded));
  const same =
    content.label === null
      ? eq(versions.digest, content.digest)
      : or(eq(versions.digest, content.digest), eq(versions.label, content.label));
  const [found, met, counted, summed, chosen, [evals], ...uses] = await db.batch([
    db.select({ id: skills.id, name: skills.name, versionId: skills.versionId }).from(skills).where(which),
    db
      .select({ id: versions.id, digest: versions.digest, label: versions.label, yankedAt: versions.yankedAt })
      .from(skills)
      .innerJoin(versions, eq(versions.skillId, skills.id))
      .where(and(which, same)),
    ...countingSkills(db, asked.scope ?? NO_SCOPE),
    groupReview(db, asked.group ?? NO_SCOPE),
    selectComparison(db, which, sql`${content.digest}`),
    ...(asked.use === null ? [] : [counting(db, asked.use)]),
  ]);
  const count = uses[0]?.[0]?.count ?? 0;
  const ofGroup = chosen[0]?.review ?? null;
  return { skill: found[0] ?? null, versions: met, used: skillsUsed(counted, summed), evals, ofGroup, count };
}
