// Queries of the figures of skills, scopes, MCP servers and models, for the test of their plans.

import { eq, sql } from "drizzle-orm";
import { NO_USAGE } from "../../src/domain/conversation/usage";
import type { Database } from "../../src/storage/d1/database";
import * as add from "../../src/storage/d1/insights/add";
import * as read from "../../src/storage/d1/insights/read";
import * as evals from "../../src/storage/d1/registry/evals";
import * as rollouts from "../../src/storage/d1/registry/rollouts";
import { skills } from "../../src/storage/d1/schema/registry";
import { BIG_USER } from "./registry-10k";

const SCOPES = [`user:${BIG_USER}`, "group:g"];
const PERIOD = { from: 0, to: 86_400_000 };
const DOCS = {
  day: 0,
  scope: "gateway",
  name: "docs",
  calls: 1,
  failures: 0,
  tokens: 0,
  billedAs: null,
  usage: NO_USAGE,
};

const OF_SKILL = { id: "skl_0-1", scope: "public" };
const LOOK = { skillId: "skl_0-1", candidateId: "ver_0-1" };
const FAILING = { type: "version.failing", scope: "gateway", data: {} } as const;
const NONE = { uses: 0, failures: 0 };

export const INSIGHT_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  addServices: async (db) => {
    await db.batch([add.addServices(db, "server", [DOCS])]);
  },
  addListings: (db) => add.addListings(db),
  rollUpHours: (db) => add.rollUpHours(db, 86_400_000),
  deleteOldInsights: (db) => add.deleteOldInsights(db, -1),
  insertEvalRun: (db) =>
    evals.insertEvalRun(
      db,
      {
        ...{ id: "evr_1", skillId: "skl_0-1", digest: "d", createdBy: BIG_USER, passed: 1, failed: 0 },
        cases: [{ name: "a", passed: true }],
      },
      { perContent: 2, perSkill: 3 },
    ),
  readEvalRuns: (db) => evals.readEvalRuns(db, "skl_0-1", 10),
  readEvalRun: (db) => evals.readEvalRun(db, "skl_0-1", "evr_1"),
  readContentOf: (db) => evals.readContentOf(db, "skl_0-1", "ver_0-1"),
  selectComparison: async (db) => evals.selectComparison(db, eq(skills.id, "skl_0-1"), sql`${"digest-1"}`),
  readComparisonOf: (db) => evals.readComparisonOf(db, "ver_0-1"),
  readRunOfContent: (db) => evals.readRunOfContent(db, { scope: "public", folded: "skill-00001" }, "ver_0-1"),
  putRollout: (db) => rollouts.putRollout(db, OF_SKILL, { candidateId: "ver_0-1", percent: 10 }),
  deleteRollout: (db) => rollouts.deleteRollout(db, { id: "nothing", scope: "public" }),
  readComparisons: (db) => rollouts.readComparisons(db, 0, { startedAt: 0, skillId: "" }, 100),
  readComparison: (db) => rollouts.readComparison(db, "skl_0-1"),
  readFailing: async (db) => {
    for (const scopes of ["all", SCOPES] as const) await rollouts.readFailing(db, scopes, 20);
  },
  recordLook: async (db) => {
    await rollouts.recordLook(db, LOOK, 1, null);
    await rollouts.recordLook(db, LOOK, 1, { event: FAILING, candidate: NONE, former: NONE });
  },
  deleteOldComparisons: (db) => rollouts.deleteOldComparisons(db, -1),
  deleteOldSearches: (db) => add.deleteOldSearches(db, -1),
  readSearchMisses: (db) => read.readSearchMisses(db, PERIOD, { limit: 100, skip: 0 }),
  readOverview: async (db) => {
    await read.readOverview(db, "all", "all", PERIOD, 3_600_000);
    await read.readOverview(db, SCOPES, SCOPES, PERIOD, 86_400_000);
  },
  readSkillFigures: async (db) => {
    for (const scopes of ["all", SCOPES] as const) {
      await read.readSkillFigures(db, scopes, PERIOD, { sort: "loads", limit: 100, after: null });
      await read.readSkillFigures(db, scopes, PERIOD, { sort: "tokens", limit: 100, after: { value: 1, seq: 1 } });
    }
  },
  readUnusedSkills: async (db) => {
    for (const scopes of ["all", SCOPES] as const) await read.readUnusedSkills(db, scopes, 0, { limit: 100, after: 0 });
  },
  readVersionFigures: async (db) => {
    await read.readVersionFigures(db, "skl_0-1", PERIOD, { limit: 100, after: null });
    await read.readVersionFigures(db, "skl_0-1", PERIOD, { limit: 100, after: { createdAt: 9, id: "ver_0" } });
  },
  readServices: async (db) => {
    for (const scopes of ["all", SCOPES] as const)
      await read.readServices(db, "model", scopes, PERIOD, { limit: 100, skip: 0 });
  },
};
