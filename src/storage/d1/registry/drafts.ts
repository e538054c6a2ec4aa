// Stores drafts of skills. A draft is a skill with one version in its author's draft scope and a row in `drafts`. It is not in the search
// index and raises no counter of a group or of public.

import { and, desc, eq, gt, inArray, lte, or, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { draftScope, PUBLIC_DRAFTS, userScope } from "../../../domain/access/access";
import type { DraftPlace } from "../../../domain/catalog/draft";
import type { Issue } from "../../../domain/errors";
import { REVIEW_LIMITS } from "../../../domain/limits";
import { type CatalogRow, fits, level1 } from "../catalog";
import type { Database } from "../database";
import { raiseCounters } from "../keys";
import { followDraft, withdrawReviewsOf } from "../review/reviews";
import { draftReaders, drafts } from "../schema/drafts";
import { counters, skills, versions } from "../schema/registry";
import { countingSkills, type SkillsUsed, skillsUsed } from "../usage";
import { keepVerdicts } from "../versions";
import type { NewSkill } from "./publishing";
import type { NewVersion } from "./version-batch";

/** A draft in a catalog, under the reference that selected it. */
export type DraftRow = CatalogRow;

/** A draft as lists show it. */
export interface DraftSummary {
  id: string;
  author: string;
  name: string;
  target: string;
  versionId: string;
  /** Digests of the content and of the ZIP. */
  digest: string;
  zipSha256: string;
  version: string | null;
  description: string;
  tokens: number;
  size: number;
  warnings: Issue[];
  pushedAt: number;
  expiresAt: number;
  /** Users who can select the draft. */
  users: string[];
}

const READERS = sql<string[]>`(SELECT json_group_array(user_id) FROM (SELECT user_id FROM ${draftReaders}
  WHERE ${draftReaders.skillId} = ${drafts.skillId} ORDER BY user_id))`.mapWith((text: string) =>
  z.array(z.string()).parse(JSON.parse(text)),
);

const summary = {
  id: drafts.skillId,
  author: skills.userId,
  name: skills.name,
  target: drafts.target,
  versionId: sql<string>`${versions.id}`.as("draft_version"),
  digest: versions.digest,
  zipSha256: versions.zipSha256,
  version: versions.label,
  description: versions.description,
  tokens: versions.tokensInstructions,
  size: versions.zipSize,
  warnings: versions.warnings,
  pushedAt: sql<number>`${versions.createdAt}`.as("draft_pushed"),
  expiresAt: drafts.expiresAt,
  users: READERS.as("draft_users"),
};

function summaries(db: Database, where: SQL | undefined) {
  return db
    .select(summary)
    .from(skills)
    .innerJoin(drafts, eq(drafts.skillId, skills.id))
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(where);
}

/** Returns an author's draft by its folded name, expired or not, and the size of the author's skills and drafts together. */
export async function readOwnDraft(
  db: Database,
  author: string,
  folded: string,
): Promise<{ draft: DraftSummary | null; count: number; used: SkillsUsed }> {
  const scope = draftScope(author);
  const [found, [counted], skillCount, sums] = await db.batch([
    summaries(db, and(eq(skills.scope, scope), eq(skills.folded, folded))),
    db.select({ count: sql<number>`count(*)` }).from(skills).where(eq(skills.scope, scope)),
    ...countingSkills(db, userScope(author)),
  ]);
  return { draft: found[0] ?? null, count: counted?.count ?? 0, used: skillsUsed(skillCount, sums) };
}

/** Returns an author's drafts by name, then drafts of other authors that name this user, newest first. */
export async function listDrafts(
  db: Database,
  userId: string,
  now: number,
  limit: number,
): Promise<{ own: DraftSummary[]; others: DraftSummary[] }> {
  const [own, others] = await db.batch([
    summaries(db, and(eq(skills.scope, draftScope(userId)), gt(drafts.expiresAt, now))).orderBy(skills.name),
    summaries(
      db,
      and(
        sql`${skills.id} IN (SELECT skill_id FROM draft_readers WHERE user_id = ${userId})`,
        gt(drafts.expiresAt, now),
      ),
    )
      .orderBy(desc(drafts.expiresAt))
      .limit(limit),
  ]);
  return { own, others };
}

/** Returns the drafts of these references that this user owns or is named in. */
export async function readChosenDrafts(
  db: Database,
  userId: string,
  places: readonly (DraftPlace & { reference: string })[],
  { shell, now }: { shell: string | null; now: number },
): Promise<DraftRow[]> {
  const asked = JSON.stringify(
    places.map(({ author, name, reference }) => ({ reference, scope: draftScope(author), name })),
  );
  const isReader = sql`EXISTS (SELECT 1 FROM ${draftReaders} WHERE ${draftReaders.userId} = ${userId} AND ${draftReaders.skillId} = ${skills.id})`;
  return db
    .select({
      ...level1,
      name: sql<string>`asked.value ->> 'reference'`.as("draft_reference"),
      scope:
        sql<string>`CASE ${drafts.target} WHEN 'public' THEN ${PUBLIC_DRAFTS} || ${skills.userId} ELSE ${skills.scope} END`.as(
          "draft_scope",
        ),
    })
    .from(sql`json_each(${asked}) AS asked`)
    .crossJoin(skills)
    .innerJoin(drafts, eq(drafts.skillId, skills.id))
    .innerJoin(versions, eq(versions.id, skills.versionId))
    .where(
      and(
        sql`${skills.scope} = asked.value ->> 'scope' AND ${skills.name} = asked.value ->> 'name'`,
        gt(drafts.expiresAt, now),
        or(eq(skills.scope, draftScope(userId)), isReader),
        ...(shell === null ? [] : [fits(shell, versions.bindShells)]),
      ),
    );
}

/**
 * Replaces a draft and keeps its id, so that conversations continue with it, and its open submissions follow it. Fails with a constraint error if a concurrent push was faster.
 */
export async function putDraft(
  db: Database,
  before: Pick<DraftSummary, "id"> | null,
  skill: NewSkill & { id: string; userId: string },
  version: NewVersion,
  { target, expiresAt, users }: Pick<DraftSummary, "target" | "expiresAt" | "users">,
  changed: readonly { reviewId: string; eventId: string }[],
): Promise<void> {
  await db.batch([
    raiseReaderCounters(db, [skill.id]),
    raiseCounters(db, [skill.userId, ...users].map(userScope)),
    ...(before === null ? [] : [db.delete(skills).where(eq(skills.id, before.id))]),
    db.insert(skills).values({ ...skill, tokens: version.tokensInstructions, bindShells: version.bindShells }),
    db.insert(versions).values(version),
    ...keepVerdicts(db, version),
    db.insert(drafts).values({ skillId: skill.id, target, expiresAt }),
    ...(users.length === 0
      ? []
      : [db.insert(draftReaders).values(users.map((userId) => ({ userId, skillId: skill.id })))]),
    ...followDraft(db, skill.id, version, changed, REVIEW_LIMITS.events),
  ]);
}

/** Deletes drafts with their rows, and withdraws their open submissions. */
export async function deleteDrafts(db: Database, gone: readonly Pick<DraftSummary, "id" | "author">[]): Promise<void> {
  const [first] = gone;
  if (first === undefined) return;
  const ids = gone.map(({ id }) => id);
  await db.batch([
    raiseReaderCounters(db, ids),
    withdrawReviewsOf(db, ids),
    db.delete(skills).where(inArray(skills.id, ids)),
    raiseCounters(
      db,
      gone.map(({ author }) => userScope(author)),
    ),
  ]);
}

/** Returns a draft by the id of its skill. */
export async function readDraftOf(db: Database, skillId: string): Promise<DraftSummary | null> {
  const [found] = await summaries(db, eq(skills.id, skillId));
  return found ?? null;
}

/** Returns expired drafts. */
export function expiredDrafts(db: Database, now: number, limit: number): Promise<DraftSummary[]> {
  return summaries(db, lte(drafts.expiresAt, now)).limit(limit);
}

/**
 * Statement that raises the counters of the users these drafts name at the time it runs, so that their conversations read the drafts again.
 */
function raiseReaderCounters(db: Database, ids: readonly string[]) {
  return db
    .insert(counters)
    .select(
      sql`SELECT DISTINCT ${userScope("")} || user_id, 1 FROM draft_readers WHERE skill_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    )
    .onConflictDoUpdate({ target: counters.scope, set: { value: sql`${counters.value} + 1` } });
}
