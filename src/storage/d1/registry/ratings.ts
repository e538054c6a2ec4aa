// Stores ratings of skills, and who used a skill and so can rate it.

import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { RatingSum } from "../../../domain/catalog/rating";
import type { Database } from "../database";
import { skillRatingSums, skillRatings, skillUsers } from "../schema/ratings";
import { now as databaseNow, skills, versions } from "../schema/registry";

/** A rating with the label of the rated version. */
export interface RatingRow {
  id: string;
  skillId: string;
  userId: string;
  stars: number;
  comment: string | null;
  versionId: string;
  label: string | null;
  createdAt: number;
  updatedAt: number;
  answer: string | null;
  answeredAt: number | null;
  hiddenAt: number | null;
  hiddenReason: string | null;
}

/** Position in the list of a skill. */
export interface RatingPosition {
  updatedAt: number;
  id: string;
}

/** Why a user cannot rate a skill; `null`: the user can. */
export type RatingBar = "own_skill" | "not_used" | null;

const columns = {
  id: skillRatings.id,
  skillId: skillRatings.skillId,
  userId: skillRatings.userId,
  stars: skillRatings.stars,
  comment: skillRatings.comment,
  versionId: skillRatings.versionId,
  label: versions.label,
  createdAt: sql<number>`${skillRatings.createdAt}`.as("rated_at"),
  updatedAt: skillRatings.updatedAt,
  answer: skillRatings.answer,
  answeredAt: skillRatings.answeredAt,
  hiddenAt: skillRatings.hiddenAt,
  hiddenReason: skillRatings.hiddenReason,
};

const selectRatings = (db: Database) =>
  db.select(columns).from(skillRatings).leftJoin(versions, eq(versions.id, skillRatings.versionId));

const isPublisher = (skillId: string, userId: string) =>
  sql`EXISTS (SELECT 1 FROM ${versions} WHERE ${versions.skillId} = ${skillId} AND ${versions.createdBy} = ${userId})`;
const isUser = (skillId: string, userId: string) =>
  sql`EXISTS (SELECT 1 FROM ${skillUsers} WHERE ${skillUsers.userId} = ${userId} AND ${skillUsers.skillId} = ${skillId})`;

/** Returns a page of a skill's ratings, newest first, the sums, the user's own rating, and whether the user can rate. */
export async function readRatings(
  db: Database,
  skillId: string,
  userId: string,
  { limit, after, withHidden }: { limit: number; after: RatingPosition | null; withHidden: boolean },
): Promise<{ page: RatingRow[]; own: RatingRow | null; sum: RatingSum | null; bar: RatingBar }> {
  const older =
    after === null
      ? undefined
      : sql`(${skillRatings.updatedAt}, ${skillRatings.id}) < (${after.updatedAt}, ${after.id})`;
  const [page, [own], [sum], [facts]] = await db.batch([
    selectRatings(db)
      .where(and(eq(skillRatings.skillId, skillId), withHidden ? undefined : isNull(skillRatings.hiddenAt), older))
      .orderBy(desc(skillRatings.updatedAt), desc(skillRatings.id))
      .limit(limit),
    selectRatings(db).where(and(eq(skillRatings.skillId, skillId), eq(skillRatings.userId, userId))),
    db
      .select({ ratings: skillRatingSums.ratings, stars: skillRatingSums.stars })
      .from(skillRatingSums)
      .where(eq(skillRatingSums.skillId, skillId)),
    db
      .select({
        isPublisher: sql<number>`${isPublisher(skillId, userId)}`.as("is_publisher"),
        isUser: sql<number>`${isUser(skillId, userId)}`.as("is_user"),
      })
      .from(skills)
      .where(eq(skills.id, skillId)),
  ]);
  const bar = facts?.isPublisher === 1 ? "own_skill" : facts?.isUser === 1 ? null : "not_used";
  return { page, own: own ?? null, sum: sum ?? null, bar };
}

/** Returns a rating of a skill by id. */
export async function readRating(db: Database, skillId: string, id: string): Promise<RatingRow | null> {
  const [found] = await selectRatings(db).where(and(eq(skillRatings.id, id), eq(skillRatings.skillId, skillId)));
  return found ?? null;
}

/**
 * Stores or replaces the rating of a user who used the skill and did not publish it, while the user has fewer than `most` ratings. Returns
 * `false` if one of these does not apply. A hidden rating stays hidden.
 */
export async function putRating(
  db: Database,
  { id, skillId, userId, stars, comment }: Pick<RatingRow, "id" | "skillId" | "userId" | "stars" | "comment">,
  most: number,
): Promise<boolean> {
  const written = await db
    .insert(skillRatings)
    .select(
      sql`SELECT ${skills.id}, ${userId}, ${id}, ${stars}, ${comment}, ${skills.versionId}, ${databaseNow}, ${databaseNow},
          NULL, NULL, NULL, NULL, NULL, NULL
        FROM ${skills} WHERE ${skills.id} = ${skillId} AND ${isUser(skillId, userId)} AND NOT ${isPublisher(skillId, userId)}
          AND (SELECT count(*) FROM ${skillRatings} WHERE user_id = ${userId} AND skill_id <> ${skillId}) < ${most}`,
    )
    .onConflictDoUpdate({
      target: [skillRatings.skillId, skillRatings.userId],
      set: {
        stars: sql`excluded.stars`,
        comment: sql`excluded.comment`,
        versionId: sql`excluded.version_id`,
        updatedAt: sql`excluded.updated_at`,
      },
    })
    .returning({ id: skillRatings.id });
  return written.length > 0;
}

/**
 * Deletes a user's rating. A hidden one only loses its comment, so that the user cannot replace it by a visible one. Returns `false` if
 * there is none.
 */
export async function deleteRating(db: Database, skillId: string, userId: string): Promise<boolean> {
  const those = and(eq(skillRatings.skillId, skillId), eq(skillRatings.userId, userId));
  const [gone, blank] = await db.batch([
    db
      .delete(skillRatings)
      .where(and(those, isNull(skillRatings.hiddenAt)))
      .returning({ id: skillRatings.id }),
    db.update(skillRatings).set({ comment: null }).where(those).returning({ id: skillRatings.id }),
  ]);
  return gone.length + blank.length > 0;
}

/** Sets or removes the answer to a rating. Returns `false` if the rating was deleted. */
export async function answerRating(
  db: Database,
  skillId: string,
  id: string,
  answer: { text: string; by: string } | null,
): Promise<boolean> {
  const written = await db
    .update(skillRatings)
    .set({
      answer: answer?.text ?? null,
      answeredBy: answer?.by ?? null,
      answeredAt: answer === null ? null : databaseNow,
    })
    .where(and(eq(skillRatings.id, id), eq(skillRatings.skillId, skillId)))
    .returning({ id: skillRatings.id });
  return written.length > 0;
}

/** The statement that hides a rating or shows it again. */
export function hideRatingStatement(db: Database, id: string, hidden: { by: string; reason: string | null } | null) {
  return db
    .update(skillRatings)
    .set({
      hiddenAt: hidden === null ? null : databaseNow,
      hiddenBy: hidden?.by ?? null,
      hiddenReason: hidden?.reason ?? null,
    })
    .where(eq(skillRatings.id, id))
    .returning({ id: skillRatings.id });
}

/** Hides a rating or shows it again. Runs as a batch so that an audit record can be added. Returns `false` if it was deleted. */
export async function hideRating(
  db: Database,
  id: string,
  hidden: { by: string; reason: string | null } | null,
): Promise<boolean> {
  const [written] = await db.batch([hideRatingStatement(db, id, hidden)]);
  return written.length > 0;
}

/** Returns the sums of these skills by id. Skills without ratings are absent. */
export async function readRatingSums(db: Database, ids: readonly string[]): Promise<Map<string, RatingSum>> {
  const rows = await db
    .select()
    .from(skillRatingSums)
    .where(sql`${skillRatingSums.skillId} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Map(rows.map(({ skillId, ...sum }) => [skillId, sum]));
}

/** Returns the newest visible ratings of a skill that have a comment. */
export function readReviews(db: Database, skillId: string, limit: number): Promise<RatingRow[]> {
  return selectRatings(db)
    .where(
      and(
        eq(skillRatings.skillId, skillId),
        isNull(skillRatings.hiddenAt),
        or(sql`${skillRatings.comment} IS NOT NULL`, sql`${skillRatings.answer} IS NOT NULL`),
      ),
    )
    .orderBy(desc(skillRatings.updatedAt), desc(skillRatings.id))
    .limit(limit);
}

/** Deletes the facts of users whose last load of a skill is older. */
export async function deleteOldSkillUsers(db: Database, before: number): Promise<void> {
  await db.delete(skillUsers).where(lt(skillUsers.day, before));
}
