// Calls every function that stores drafts and their reviews, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import * as drafts from "../../src/storage/d1/registry/drafts";
import { version } from "./big-rows";
import { BIG_USER } from "./registry-10k";
import { REVIEW_QUERIES } from "./review-queries";

const skill = (id: string) => ({
  ...{ id, scope: `draft:${BIG_USER}`, name: id, folded: id, namespace: "default" },
  ...{ userId: BIG_USER, versionId: `ver_${id}` },
});
const facts = { target: "own", expiresAt: 5, users: ["someone"] };

export const DRAFT_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  ...REVIEW_QUERIES,
  readOwnDraft: (db) => drafts.readOwnDraft(db, BIG_USER, "none"),
  listDrafts: (db) => drafts.listDrafts(db, BIG_USER, 0, 100),
  readChosenDrafts: (db) =>
    drafts.readChosenDrafts(db, BIG_USER, [{ reference: "draft:a", author: BIG_USER, name: "a" }], {
      shell: "chat",
      now: 0,
    }),
  putDraft: async (db) => {
    await drafts.putDraft(db, null, skill("drf-1"), { ...version("ver_drf-1", "drf-1") }, facts, []);
    await drafts.putDraft(db, { id: "drf-1" }, skill("drf-1"), { ...version("ver_drf-1", "drf-1") }, facts, [
      { reviewId: "rev_1", eventId: "rve_1" },
    ]);
  },
  deleteDrafts: (db) => drafts.deleteDrafts(db, [{ id: "none", author: BIG_USER }]),
  readDraftOf: (db) => drafts.readDraftOf(db, "none"),
  expiredDrafts: (db) => drafts.expiredDrafts(db, 0, 50),
};
