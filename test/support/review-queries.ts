// Calls every function that stores reviews, among ten thousand submissions, for the query plan test.

import { env } from "cloudflare:workers";
import type { Database } from "../../src/storage/d1/database";
import * as publishing from "../../src/storage/d1/registry/publishing";
import * as approval from "../../src/storage/d1/review/approval";
import * as content from "../../src/storage/d1/review/content";
import * as reviews from "../../src/storage/d1/review/reviews";
import { skill, version } from "./big-rows";
import { BIG_USER } from "./registry-10k";

const STATES = ["pending", "changes_requested", "approved", "rejected", "withdrawn"] as const;
const event = (id: string, type: "commented" | "rejected" | "approved") => ({
  id,
  userId: "rev",
  type,
  comment: "Text",
});
const terms = { most: 50, expiresAt: 5 };

/** Stores ten thousand submissions, once. */
async function seed(): Promise<void> {
  await env.DB.prepare(`INSERT OR IGNORE INTO reviews (id, scope, name, draft_id, user_id, state, version_id, zip_sha256)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    SELECT printf('rev_%05d', i), CASE i % 3 WHEN 0 THEN 'public' WHEN 1 THEN 'group:g' ELSE 'group:h' END, 'n' || i, 'skl_' || i,
      CASE i % 2 WHEN 0 THEN 'reviewer' ELSE 'u' || (i % 100) END,
      CASE i % 5 WHEN 0 THEN 'pending' WHEN 1 THEN 'changes_requested' WHEN 2 THEN 'approved' WHEN 3 THEN 'rejected' ELSE 'withdrawn' END,
      'ver_0-' || i, 'digest' FROM n`).run();
}

export const REVIEW_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  listReviews: async (db) => {
    await seed();
    const all = { userId: "reviewer", scopes: ["public", "group:g"], states: STATES };
    const page = await reviews.listReviews(db, all, 20, null);
    if (page.length !== 20 || page[0]?.id !== "rev_10000") throw new Error("the newest are missing");
    await reviews.listReviews(db, { ...all, userId: null, notBy: "reviewer", states: ["pending"] }, 20, "rev_05000");
  },
  insertReview: async (db) => {
    await seed();
    const made = {
      id: "rev_new",
      scope: "group:g",
      name: "n",
      draftId: "skl_0-3",
      userId: "new",
      versionId: "ver_0-3",
    };
    await reviews.insertReview(db, made, { ...event("rve_new", "commented"), type: "commented" }, terms);
  },
  readReview: (db) => reviews.readReview(db, "rev_00001"),
  openReviewsOf: (db) => reviews.openReviewsOf(db, "skl_5"),
  readReviewEvents: (db) => reviews.readReviewEvents(db, "rev_00001", 100),
  addEvent: (db) => db.batch([reviews.addEvent(db, "rev_00005", event("rve_1", "commented"))]),
  addReviewComment: (db) =>
    reviews.addReviewComment(db, { id: "rev_00005", draftId: "skl_5" }, event("rve_2", "commented"), terms),
  changeReviewState: (db) => {
    const review = { id: "rev_00006", draftId: "skl_6", zipSha256: "digest" };
    return reviews.changeReviewState(db, review, "rejected", event("rve_3", "rejected"), 5);
  },
  followDraft: (db) => {
    const pushed = { id: "ver_x", label: null, zipSha256: "other", createdBy: BIG_USER };
    const [first, ...rest] = reviews.followDraft(
      db,
      "skl_10",
      pushed,
      [{ reviewId: "rev_00010", eventId: "rve_4" }],
      9,
    );
    return db.batch([first!, ...rest]);
  },
  withdrawReviewsOf: (db) => db.batch([reviews.withdrawReviewsOf(db, ["skl_15", "skl_20"])]),
  hasReviewOf: (db) => reviews.hasReviewOf(db, "u7", "skl_7", "group:g"),
  hasRejected: (db) => reviews.hasRejected(db, { userId: "u7", scope: "group:g", name: "n7", zipSha256: "digest" }),
  publishedByReviewOf: (db) => reviews.publishedByReviewOf(db, "u7", { id: "skl_7", scope: "group:g" }),
  deleteOldReviews: (db) => reviews.deleteOldReviews(db, 1, 100),
  approving: async (db) => {
    await seed();
    const made = skill("rv");
    const first = { ...version("ver_rv", "rv"), zipSha256: "digest" };
    await env.DB.prepare("UPDATE reviews SET scope = ? WHERE id = 'rev_00030'").bind(made.scope).run();
    const review = { id: "rev_00030", scope: made.scope, name: made.name, label: null, zipSha256: "digest" };
    const approved = { review, folded: made.folded, baseId: null, userId: "rev", reviewers: 1 };
    const bound = approval.approving(db, { ...approved, event: event("rve_5", "approved") }, "ver_rv");
    await publishing.insertSkill(bound, made, first, null);
    if ((await reviews.readReview(db, "rev_00030"))?.state !== "approved") throw new Error("not approved");
  },
  groupReview: async (db) => approval.groupReview(db, "g"),
  readGroupReview: (db) => approval.readGroupReview(db, "g"),
  readVersionReview: (db) => approval.readVersionReview(db, "ver_0-1"),
  readCompared: (db) => content.readCompared(db, "ver_0-1", { scope: "public", folded: "skill-00001" }),
  readCurrentId: (db) => content.readCurrentId(db, "public", "skill-00001"),
  readReviewedVersion: (db) => content.readReviewedVersion(db, "ver_0-1"),
};
