// Publishes reviewed content: adds the approval to the batch that publishes or activates the version, so that neither exists without the
// other.

import { eq, sql } from "drizzle-orm";
import * as z from "zod";
import type { ReviewPolicy } from "../../../domain/settings/settings";
import type { Database } from "../database";
import { groups } from "../schema/access";
import { now, versionAttestations, versions } from "../schema/registry";
import { reviews, versionReviews } from "../schema/reviews";
import { addEvent, isReviewOpen, type NewReviewEvent } from "./reviews";

/** A review as a version states it. `reviewers`: people besides the author who approved it; 0: an admin bypassed the review. */
export const versionReviewSchema = z.lazy(() => z.strictObject({ id: z.string(), reviewers: z.int().min(0) }));
export type VersionReview = z.infer<typeof versionReviewSchema>;

/** An approval of exactly one content, compared with exactly one version. */
export interface Approval {
  review: Pick<typeof reviews.$inferSelect, "id" | "scope" | "name" | "label" | "zipSha256">;
  /** The folded name of the skill. */
  folded: string;
  /** The current version that reviewers compared with; `null`: the skill does not exist or has no current version. */
  baseId: string | null;
  /** Who approves, and the number of people besides the author. */
  userId: string;
  reviewers: number;
  event: NewReviewEvent;
}

/** The constraint that fails if the submission or the current version changed meanwhile. */
export const APPROVAL_CONSTRAINT = /\b(?:reviews\.state|version_reviews\.review_id)\b/;

/**
 * Returns a database whose next batch also approves a submission. The batch fails with `APPROVAL_CONSTRAINT` and changes nothing if the
 * submission is closed or has other content, if the current version is not the compared one, or if `versionId` is not current after it.
 */
export function approving(db: Database, approval: Approval, versionId: string): Database {
  const { review, folded, baseId, userId, reviewers, event } = approval;
  const { id, scope, zipSha256 } = review;
  const current = sql`coalesce((SELECT s.version_id FROM skills AS s WHERE s.scope = ${scope} AND s.folded = ${folded}), '')`;
  const isValid = sql`${isReviewOpen} AND ${reviews.zipSha256} = ${zipSha256} AND ${current} = ${baseId ?? ""}`;
  const isCurrent = sql`EXISTS (SELECT 1 FROM skills AS s INNER JOIN versions AS v ON v.id = s.version_id
    WHERE s.scope = ${scope} AND s.folded = ${folded} AND s.version_id = ${versionId} AND v.zip_sha256 = ${zipSha256})`;
  const before = [
    // The next reader of an existing version's statement gets one that names the review.
    db.delete(versionAttestations).where(eq(versionAttestations.versionId, versionId)),
    addEvent(db, id, event),
    // NULL violates the column's constraint, which rolls the whole batch back.
    db
      .update(reviews)
      .set({ state: sql`CASE WHEN ${isValid} THEN 'approved' END`, baseId, publishedId: versionId, updatedAt: now })
      .where(eq(reviews.id, id)),
  ] as const;
  const after = [
    db
      .insert(versionReviews)
      .select(
        sql`SELECT ${versionId}, (SELECT ${reviews.id} FROM ${reviews} WHERE ${reviews.id} = ${id} AND ${reviews.state} = 'approved' AND ${isCurrent}),
          ${reviewers}, ${userId}, ${now} WHERE true`,
      )
      .onConflictDoUpdate({
        target: versionReviews.versionId,
        set: { reviewId: sql`excluded.review_id`, reviewers, userId, createdAt: now },
      }),
  ] as const;
  const batch = async (statements: Parameters<Database["batch"]>[0]) => {
    const results: unknown[] = await db.batch([...before, ...statements, ...after]);
    return results.slice(before.length, before.length + statements.length);
  };
  return new Proxy(db, {
    get: (target, property) => (property === "batch" ? batch : Reflect.get(target, property, target)),
  });
}

/** SQL, next to `versions`: the review that approved the version; `null`: none. */
export const reviewOfVersion =
  sql<VersionReview | null>`(SELECT json_object('id', review_id, 'reviewers', reviewers) FROM ${versionReviews}
  WHERE version_id = ${versions.id})`
    .mapWith((text: string) => versionReviewSchema.parse(JSON.parse(text)))
    .as("version_review");

/** SQL, next to `versions`: a review approved the version. */
export const isReviewed = sql`EXISTS (SELECT 1 FROM ${versionReviews} WHERE version_id = ${versions.id})`;

/** Statement that returns a group's own choice for reviews. No group: an empty name. */
export function groupReview(db: Database, group: string) {
  return db.select({ review: groups.review }).from(groups).where(eq(groups.name, group));
}

/** Returns a group's own choice; `null`: it has none. */
export async function readGroupReview(db: Database, group: string): Promise<ReviewPolicy | null> {
  const [found] = await groupReview(db, group);
  return found?.review ?? null;
}

/** Returns the approval of a version, or `null`. */
export async function readVersionReview(db: Database, versionId: string): Promise<VersionReview | null> {
  const [found] = await db
    .select({ id: versionReviews.reviewId, reviewers: versionReviews.reviewers })
    .from(versionReviews)
    .where(eq(versionReviews.versionId, versionId));
  return found ?? null;
}
