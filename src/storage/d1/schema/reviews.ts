// D1 tables of reviews: submissions, what happened to them, and which versions were reviewed. See `registry.ts`.

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { REVIEW_EVENTS, REVIEW_STATES } from "../../../domain/review/review";
import { now, versions } from "./registry";

/** One row per submission of a draft to a scope. It follows the draft: a push changes the digest and makes the state `pending`. */
export const reviews = sqliteTable(
  "reviews",
  {
    id: text().primaryKey(),
    /** Where approval publishes it: `group:<name>` or `public`. */
    scope: text().notNull(),
    /** Name of the skill. */
    name: text().notNull(),
    /** The draft's skill, whose id stays the same across pushes. The draft can be deleted before the row. */
    draftId: text("draft_id").notNull(),
    /** The author, who submitted it. */
    userId: text("user_id").notNull(),
    state: text({ enum: REVIEW_STATES }).notNull(),
    /** The content under review: the draft's version, its label, and SHA-256 of its ZIP. */
    versionId: text("version_id").notNull(),
    label: text(),
    zipSha256: text("zip_sha256").notNull(),
    /** After approval: the version that was compared with (`null`: none), and the one that was published. */
    baseId: text("base_id"),
    publishedId: text("published_id"),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [
    index("reviews_scope").on(t.scope, t.state, t.id),
    index("reviews_user").on(t.userId, t.state, t.id),
    index("reviews_closed").on(t.updatedAt).where(sql`${t.state} IN ('approved', 'rejected', 'withdrawn')`),
    uniqueIndex("reviews_open").on(t.draftId, t.scope).where(sql`${t.state} IN ('pending', 'changes_requested')`),
  ],
);

/** The history of submissions: comments, decisions and pushes. */
export const reviewEvents = sqliteTable(
  "review_events",
  {
    id: text().primaryKey(),
    reviewId: text("review_id")
      .notNull()
      .references(() => reviews.id, { onDelete: "cascade" }),
    userId: text("user_id").notNull(),
    type: text({ enum: REVIEW_EVENTS }).notNull(),
    comment: text(),
    /** The file and line that a comment is about. */
    path: text(),
    line: integer(),
    /** SHA-256 of the content at that time. */
    zipSha256: text("zip_sha256").notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [index("review_events_review").on(t.reviewId, t.id), index("review_events_user").on(t.userId)],
);

/** Versions that a review approved. The rows outlive the review. */
export const versionReviews = sqliteTable(
  "version_reviews",
  {
    versionId: text("version_id")
      .primaryKey()
      .references(() => versions.id, { onDelete: "cascade" }),
    reviewId: text("review_id").notNull(),
    /** Number of people besides the author who approved it; 0: an admin bypassed the review. */
    reviewers: integer().notNull(),
    /** Who approved it. */
    userId: text("user_id").notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [index("version_reviews_user").on(t.userId)],
);

/** What an export contains of a user's submissions. */
export const EXPORTED_REVIEWS = {
  as: "reviews",
  columns: {
    id: reviews.id,
    scope: reviews.scope,
    name: reviews.name,
    state: reviews.state,
    zip_sha256: reviews.zipSha256,
    created_at: reviews.createdAt,
    updated_at: reviews.updatedAt,
  },
};

/** What an export contains of a user's comments and decisions. */
export const EXPORTED_REVIEW_EVENTS = {
  as: "review_events",
  columns: {
    review_id: reviewEvents.reviewId,
    type: reviewEvents.type,
    comment: reviewEvents.comment,
    path: reviewEvents.path,
    line: reviewEvents.line,
    created_at: reviewEvents.createdAt,
  },
};
