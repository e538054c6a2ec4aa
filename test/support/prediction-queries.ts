// Queries that add a batch of usage counts, and those of counts of predictions, for the test of their plans.

import { sql } from "drizzle-orm";
import { NO_PREDICTIONS } from "../../src/domain/conversation/prediction/counts";
import type { Database } from "../../src/storage/d1/database";
import * as predictions from "../../src/storage/d1/predictions";
import * as skillUse from "../../src/storage/d1/skill-use";
import { BIG_USER } from "./registry-10k";

type Query = (db: Database) => Promise<unknown>;

export const PREDICTION_QUERIES: Record<string, Query> = {
  addUses: async (db) => {
    const count = { day: 0, skill_id: "skl_0-1", version_id: "ver_0-1", loads: 1, calls: 1, failures: 0, tokens: 5 };
    const scripts = { found: 1, scripts_ok: 1, scripts_failed: 0, scripts_killed: 0, liked: 1, disliked: 0 };
    const counts = [{ ...count, ...scripts, hour: 0, votes: 1 }];
    const batch = {
      ...{ at: 1, counts, predictions: [{ ...NO_PREDICTIONS, day: 0, agent: "gho_1", messages: 1 }] },
      listings: [{ day: 0, skills: JSON.stringify([["skl_0-1", "ver_0-1"]]), turns: 2 }],
      servers: [{ day: 0, scope: "gateway", name: "docs", calls: 2, failures: 1 }],
      searches: [{ hour: 0, searches: 2, empty: 1 }],
      queries: [{ at: 1, query: "zebra" }],
    };
    await skillUse.addUses(db, BIG_USER, { id: "use_1", ...batch }, 1);
    await skillUse.addUses(db, BIG_USER, { id: "use_1", ...batch }, 1);
    await skillUse.addUses(db, BIG_USER, { id: "use_2", ...batch }, 1);
  },
  addPredictions: async (db) => {
    const counts = [{ ...NO_PREDICTIONS, day: 0, agent: "gho_1", messages: 1 }];
    await db.batch([predictions.addPredictions(db, counts, sql`true`)]);
  },
  readPredictions: (db) => predictions.readPredictions(db, "gho_1", 0),
  deletePredictionsBefore: async (db) => {
    await db.batch([predictions.deletePredictionsBefore(db, -1)]);
  },
};
