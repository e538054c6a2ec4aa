// Stores submissions of drafts for review. Conditions that can change meanwhile are part of the statements.

import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import type { ReviewEventType, ReviewState } from "../../../domain/review/review";
import type { Database } from "../database";
import { drafts } from "../schema/drafts";
import { now, skills, versions } from "../schema/registry";
import { reviewEvents, reviews } from "../schema/reviews";

export type ReviewRow = typeof reviews.$inferSelect;
export type ReviewEventRow = typeof reviewEvents.$inferSelect;

/** An event that a request adds. */
export interface NewReviewEvent {
  id: string;
  userId: string;
  type: ReviewEventType;
  comment: string | null;
  path?: string | null;
  line?: number | null;
}

/** SQL: the submission is open. Without parameters, because SQLite uses a partial index only for its own expression. */
export const isReviewOpen = sql`${reviews.state} IN ('pending', 'changes_requested')`;

/**
 * Creates a submission of a draft. Returns `null` if the draft changed meanwhile or the author has `most` open submissions. Fails with a
 * constraint error if the draft has an open submission to this scope.
 */
export async function insertReview(
  db: Database,
  review: Pick<ReviewRow, "id" | "scope" | "name" | "draftId" | "userId" | "versionId">,
  event: NewReviewEvent,
  { most, expiresAt }: { most: number; expiresAt: number },
): Promise<ReviewRow | null> {
  const { id, scope, name, draftId, userId, versionId } = review;
  const open = sql`(SELECT count(*) FROM reviews AS r WHERE r.user_id = ${userId} AND r.state IN ('pending', 'changes_requested'))`;
  const [made] = await db.batch([
    db
      .insert(reviews)
      .select(
        sql`SELECT ${id}, ${scope}, ${name}, ${draftId}, ${userId}, 'pending', ${versions.id}, ${versions.label}, ${versions.zipSha256},
          NULL, NULL, ${now}, ${now} FROM ${skills} INNER JOIN ${versions} ON ${versions.id} = ${skills.versionId}
          WHERE ${skills.id} = ${draftId} AND ${versions.id} = ${versionId} AND ${open} < ${most}`,
      )
      .returning(),
    addEvent(db, id, event),
    prolongDraft(db, draftId, expiresAt),
  ]);
  return made[0] ?? null;
}

/** Returns a submission, or `null`. */
export async function readReview(db: Database, id: string): Promise<ReviewRow | null> {
  const [found] = await db.select().from(reviews).where(eq(reviews.id, id));
  return found ?? null;
}

/** Returns the open submissions of a draft. */
export function openReviewsOf(db: Database, draftId: string): Promise<ReviewRow[]> {
  return db
    .select()
    .from(reviews)
    .where(and(eq(reviews.draftId, draftId), isReviewOpen));
}

/** Which submissions a list contains: the user's own, and those of these scopes. */
export interface ReviewFilter {
  /** `null`: none of the user's own. */
  userId: string | null;
  scopes: readonly string[];
  states: readonly ReviewState[];
  /** Only the user's own submissions to this scope. */
  ownScope?: string | undefined;
  /** Excludes the submissions of this user from those of the scopes. */
  notBy?: string | undefined;
}

/** Returns submissions, newest first, before an id. Each scope and state is read from an index, at most `limit` rows of each. */
export function listReviews(
  db: Database,
  { userId, scopes, states, ownScope, notBy }: ReviewFilter,
  limit: number,
  before: string | null,
): Promise<ReviewRow[]> {
  const last = before ?? AFTER_ALL;
  const newest = (column: SQL, more: SQL) => sql`SELECT r.id FROM json_each(${JSON.stringify(states)}) AS s
      CROSS JOIN reviews AS r ON r.id IN (SELECT x.id FROM reviews AS x WHERE ${column} AND x.state = s.value AND x.id < ${last}
        AND ${more} ORDER BY x.id DESC LIMIT ${limit})`;
  const own = newest(sql`x.user_id = ${userId ?? ""}`, ownScope === undefined ? sql`true` : sql`x.scope = ${ownScope}`);
  const others = sql`SELECT r.id FROM json_each(${JSON.stringify(scopes)}) AS p
      CROSS JOIN json_each(${JSON.stringify(states)}) AS s
      CROSS JOIN reviews AS r ON r.id IN (SELECT x.id FROM reviews AS x WHERE x.scope = p.value AND x.state = s.value AND x.id < ${last}
        AND ${notBy === undefined ? sql`true` : sql`x.user_id <> ${notBy}`} ORDER BY x.id DESC LIMIT ${limit})`;
  return db
    .select()
    .from(reviews)
    .where(sql`${reviews.id} IN (${own} UNION ${others})`)
    .orderBy(desc(reviews.id))
    .limit(limit);
}

/** Sorts after every id of a submission. */
const AFTER_ALL = "rev_~";

/** Returns the first events of a submission, oldest first. */
export function readReviewEvents(db: Database, reviewId: string, limit: number): Promise<ReviewEventRow[]> {
  return db
    .select()
    .from(reviewEvents)
    .where(eq(reviewEvents.reviewId, reviewId))
    .orderBy(reviewEvents.id)
    .limit(limit);
}

/** Adds a comment to an open submission. Returns `null` if it is closed or has `most` events. */
export async function addReviewComment(
  db: Database,
  review: Pick<ReviewRow, "id" | "draftId">,
  event: NewReviewEvent,
  { most, expiresAt }: { most: number; expiresAt: number },
): Promise<ReviewEventRow | null> {
  const [made] = await db.batch([
    addEvent(db, review.id, event, sql`${isReviewOpen} AND ${eventsOf(review.id)} < ${most}`).returning(),
    prolongDraft(db, review.draftId, expiresAt),
  ]);
  return made[0] ?? null;
}

/**
 * Changes the state of an open submission whose content still has this digest. Returns `null` if another request was faster. `approved` is
 * set by `approving`.
 */
export async function changeReviewState(
  db: Database,
  review: Pick<ReviewRow, "id" | "draftId" | "zipSha256">,
  state: Exclude<ReviewState, "approved">,
  event: NewReviewEvent,
  expiresAt: number,
): Promise<ReviewRow | null> {
  const isSame = sql`${isReviewOpen} AND ${eq(reviews.zipSha256, review.zipSha256)}`;
  const [, changed] = await db.batch([
    addEvent(db, review.id, event, isSame),
    db
      .update(reviews)
      .set({ state, updatedAt: now })
      .where(and(eq(reviews.id, review.id), isSame))
      .returning(),
    prolongDraft(db, review.draftId, expiresAt),
  ]);
  return changed[0] ?? null;
}

/** Statement that adds an event with the digest of the submission, if the condition holds. */
export function addEvent(db: Database, reviewId: string, event: NewReviewEvent, condition: SQL = sql`true`) {
  const { id, userId, type, comment, path = null, line = null } = event;
  return db.insert(reviewEvents).select(
    sql`SELECT ${id}, ${reviews.id}, ${userId}, ${type}, ${comment}, ${path}, ${line}, ${reviews.zipSha256}, ${now}
      FROM ${reviews} WHERE ${reviews.id} = ${reviewId} AND ${condition}`,
  );
}

/** SQL: the number of events of a submission. */
function eventsOf(reviewId: string): SQL {
  return sql`(SELECT count(*) FROM review_events AS e WHERE e.review_id = ${reviewId})`;
}

/** Statement that keeps a draft under review from expiring. */
function prolongDraft(db: Database, draftId: string, expiresAt: number) {
  return db
    .update(drafts)
    .set({ expiresAt })
    .where(and(eq(drafts.skillId, draftId), lt(drafts.expiresAt, expiresAt)));
}

/**
 * Statements for the batch of a push: the open submissions of the draft follow it. Other content makes them `pending` again, and adds an
 * event unless there are `most`.
 */
export function followDraft(
  db: Database,
  draftId: string,
  version: { id: string; label: string | null; zipSha256: string; createdBy: string },
  changed: readonly { reviewId: string; eventId: string }[],
  most: number,
) {
  const { id, label, zipSha256, createdBy: userId } = version;
  const isOther = sql`${isReviewOpen} AND ${reviews.zipSha256} <> ${zipSha256}`;
  return [
    ...changed.map(({ reviewId, eventId }) =>
      db.insert(reviewEvents).select(
        sql`SELECT ${eventId}, ${reviews.id}, ${userId}, 'changed', NULL, NULL, NULL, ${zipSha256}, ${now}
          FROM ${reviews} WHERE ${reviews.id} = ${reviewId} AND ${isOther} AND ${eventsOf(reviewId)} < ${most}`,
      ),
    ),
    db
      .update(reviews)
      .set({
        state: sql`CASE WHEN ${reviews.zipSha256} = ${zipSha256} THEN ${reviews.state} ELSE 'pending' END`,
        ...{ versionId: id, label, zipSha256, updatedAt: now },
      })
      .where(and(eq(reviews.draftId, draftId), isReviewOpen)),
  ];
}

/** Statement for the batch that deletes drafts: their open submissions are withdrawn. */
export function withdrawReviewsOf(db: Database, draftIds: readonly string[]) {
  return db
    .update(reviews)
    .set({ state: "withdrawn", updatedAt: now })
    .where(and(sql`${reviews.draftId} IN (SELECT value FROM json_each(${JSON.stringify(draftIds)}))`, isReviewOpen));
}

/** Deletes submissions that were closed before a time. Returns their number. */
export async function deleteOldReviews(db: Database, before: number, limit: number): Promise<number> {
  const old = sql`SELECT id FROM reviews WHERE state IN ('approved', 'rejected', 'withdrawn') AND updated_at < ${before} LIMIT ${limit}`;
  const gone = await db.delete(reviews).where(sql`${reviews.id} IN (${old})`).returning({ id: reviews.id });
  return gone.length;
}

/** Whether a user has submitted this draft to the scope, in any state. */
export async function hasReviewOf(db: Database, userId: string, draftId: string, scope: string): Promise<boolean> {
  const found = await db
    .select({ id: reviews.id })
    .from(reviews)
    .where(and(eq(reviews.userId, userId), eq(reviews.draftId, draftId), eq(reviews.scope, scope)))
    .limit(1);
  return found.length > 0;
}

/** Whether a reviewer has rejected this content of the user, and the scope has no later submission of this name. */
export async function hasRejected(
  db: Database,
  { userId, scope, name, zipSha256 }: Pick<ReviewRow, "userId" | "scope" | "name" | "zipSha256">,
): Promise<boolean> {
  const [last] = await db
    .select({ state: reviews.state, zipSha256: reviews.zipSha256 })
    .from(reviews)
    .where(and(eq(reviews.userId, userId), eq(reviews.scope, scope), eq(reviews.name, name)))
    .orderBy(desc(reviews.id))
    .limit(1);
  return last?.state === "rejected" && last.zipSha256 === zipSha256;
}

/** Returns the version of this skill that an approved submission of the user published; `null`: none. */
export async function publishedByReviewOf(
  db: Database,
  userId: string,
  skill: { id: string; scope: string },
): Promise<string | null> {
  const [found] = await db
    .select({ id: versions.id })
    .from(reviews)
    .innerJoin(versions, eq(versions.id, reviews.publishedId))
    .where(
      and(
        eq(reviews.userId, userId),
        eq(reviews.state, "approved"),
        eq(reviews.scope, skill.scope),
        eq(versions.skillId, skill.id),
      ),
    )
    .orderBy(desc(reviews.id))
    .limit(1);
  return found?.id ?? null;
}
