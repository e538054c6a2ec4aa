// Calls every function that stores ratings and reports, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import * as ratings from "../../src/storage/d1/registry/ratings";
import * as reports from "../../src/storage/d1/registry/reports";
import * as uses from "../../src/storage/d1/skill-use";
import { BIG_USER } from "./registry-10k";

const RATING = { id: "rtg_1", skillId: "skl_0-1", userId: BIG_USER, stars: 4, comment: null };
const REPORT = {
  id: "rpt_1",
  skillId: "skl_0-1",
  ratingId: "",
  userId: BIG_USER,
  reason: "spam",
  message: null,
} as const;

export const RATING_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  readRatings: async (db) => {
    const after = { updatedAt: 5, id: "rtg_0" };
    await ratings.readRatings(db, "skl_0-1", BIG_USER, { limit: 10, after: null, withHidden: true });
    await ratings.readRatings(db, "skl_0-1", BIG_USER, { limit: 10, after, withHidden: false });
  },
  readRating: (db) => ratings.readRating(db, "skl_0-1", "rtg_1"),
  putRating: (db) => ratings.putRating(db, RATING, 10),
  deleteRating: (db) => ratings.deleteRating(db, "skl_0-1", BIG_USER),
  answerRating: (db) => ratings.answerRating(db, "skl_0-1", "rtg_1", { text: "Thanks.", by: BIG_USER }),
  hideRating: (db) => ratings.hideRating(db, "rtg_1", { by: BIG_USER, reason: null }),
  readRatingSums: (db) => ratings.readRatingSums(db, ["skl_0-1", "skl_0-2"]),
  readReviews: (db) => ratings.readReviews(db, "skl_0-1", 10),
  deleteOldSkillUsers: (db) => ratings.deleteOldSkillUsers(db, 5),
  readLoadsOf: (db) => uses.readLoadsOf(db, ["skl_0-1", "skl_0-2"], 5),
  insertReport: (db) => reports.insertReport(db, REPORT, 10),
  listReports: async (db) => {
    for (const after of [null, { at: 5, id: "rpt_0" }])
      for (const state of ["open", "decided"] as const) await reports.listReports(db, state, 10, after);
  },
  readAbuseReport: (db) => reports.readAbuseReport(db, "rpt_1"),
  decideReport: async (db) => {
    const decision = { note: null, by: BIG_USER };
    await reports.decideReport(db, { id: "rpt_1", ratingId: "rtg_1" }, { ...decision, decision: "rating_hidden" });
    await reports.decideReport(db, { id: "rpt_2", ratingId: "" }, { ...decision, decision: "dismissed" });
  },
  deleteOldReports: (db) => reports.deleteOldReports(db, 5),
};
