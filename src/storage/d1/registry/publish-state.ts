// What is there before an upload is published: the skill that it is about, and the room that its scope has left.

import { and, eq, or } from "drizzle-orm";
import type { Database } from "../database";
import { skills, versions } from "../schema/registry";
import { counting, countingSkills, type SkillsUsed, skillsUsed, type Use } from "../usage";

/** What an upload meets: its skill, those of its versions that have this content or this label, and what else was asked. */
export interface PublishState {
  skill: { id: string; name: string; versionId: string } | null;
  versions: { id: string; digest: string; label: string | null; yankedAt: number | null }[];
  /** What the skills of the asked scope are; nothing where none was asked. */
  used: SkillsUsed;
  /** How often the use was counted, this time included; 0 where none was to be counted. */
  count: number;
}

/** No scope is called so. */
const NO_SCOPE = "";

/**
 * Finds what an upload meets, by the skill's id, or by the folded name it wants in a scope. In the same trip it counts what a scope has,
 * and one more of a use.
 */
export async function readPublishState(
  db: Database,
  skill: { id: string } | { scope: string; folded: string },
  content: { digest: string; label: string | null },
  asked: { scope: string | null; use: Use | null },
): Promise<PublishState> {
  const which =
    "id" in skill ? eq(skills.id, skill.id) : and(eq(skills.scope, skill.scope), eq(skills.folded, skill.folded));
  const same =
    content.label === null
      ? eq(versions.digest, content.digest)
      : or(eq(versions.digest, content.digest), eq(versions.label, content.label));
  const [found, met, counted, summed, ...uses] = await db.batch([
    db.select({ id: skills.id, name: skills.name, versionId: skills.versionId }).from(skills).where(which),
    db
      .select({ id: versions.id, digest: versions.digest, label: versions.label, yankedAt: versions.yankedAt })
      .from(skills)
      .innerJoin(versions, eq(versions.skillId, skills.id))
      .where(and(which, same)),
    ...countingSkills(db, asked.scope ?? NO_SCOPE),
    ...(asked.use === null ? [] : [counting(db, asked.use)]),
  ]);
  const count = uses[0]?.[0]?.count ?? 0;
  return { skill: found[0] ?? null, versions: met, used: skillsUsed(counted, summed), count };
}
