// D1 tables of ratings and reports of skills. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { now, skills } from "./registry";

/** Who loaded which shared skill, so that only users of a skill rate it. Deleted `DURATIONS.skillUsersKept` after the last load. */
export const skillUsers = sqliteTable(
  "skill_users",
  {
    userId: text("user_id").notNull(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** Start of the day of the last load (UTC), in milliseconds since the epoch. */
    day: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.skillId] }),
    index("skill_users_skill").on(t.skillId),
    index("skill_users_day").on(t.day),
  ],
);

/** One rating per user and skill. */
export const skillRatings = sqliteTable(
  "skill_ratings",
  {
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    userId: text("user_id").notNull(),
    id: text().notNull().unique(),
    /** 1 to 5. */
    stars: integer().notNull(),
    comment: text(),
    /** The current version at the time of the rating. It may have been deleted. */
    versionId: text("version_id").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    answer: text(),
    answeredBy: text("answered_by"),
    answeredAt: integer("answered_at"),
    /** Set while an admin hides the rating. */
    hiddenAt: integer("hidden_at"),
    hiddenBy: text("hidden_by"),
    hiddenReason: text("hidden_reason"),
  },
  (t) => [
    primaryKey({ columns: [t.skillId, t.userId] }),
    index("skill_ratings_updated").on(t.skillId, t.updatedAt, t.id),
    index("skill_ratings_user").on(t.userId),
    index("skill_ratings_answered").on(t.answeredBy),
    index("skill_ratings_hidden").on(t.hiddenBy),
  ],
);

/** Number and sum of the visible ratings of a skill. Triggers on `skill_ratings` write the rows, so no read adds up ratings. */
export const skillRatingSums = sqliteTable("skill_rating_sums", {
  skillId: text("skill_id")
    .primaryKey()
    .references(() => skills.id, { onDelete: "cascade" }),
  ratings: integer().notNull(),
  stars: integer().notNull(),
});

/** Reports of abuse by users, for admins. Decided ones are deleted after `DURATIONS.reportsKept`. */
export const skillReports = sqliteTable(
  "skill_reports",
  {
    id: text().primaryKey(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** The reported rating; empty: the skill itself. */
    ratingId: text("rating_id").notNull(),
    userId: text("user_id").notNull(),
    reason: text().notNull(),
    message: text(),
    createdAt: integer("created_at").notNull().default(now),
    decision: text(),
    note: text(),
    decidedBy: text("decided_by"),
    decidedAt: integer("decided_at"),
  },
  (t) => [
    index("skill_reports_decided").on(t.decidedAt, t.id),
    index("skill_reports_user").on(t.userId, t.decidedAt),
    index("skill_reports_skill").on(t.skillId),
    index("skill_reports_decider").on(t.decidedBy),
  ],
);

/** The facts of ratings, reports and used skills in the export of a user. */
export const RATING_FACTS = {
  as: "ratings",
  columns: {
    id: skillRatings.id,
    skill_id: skillRatings.skillId,
    version_id: skillRatings.versionId,
    stars: skillRatings.stars,
    comment: skillRatings.comment,
    created_at: skillRatings.createdAt,
    updated_at: skillRatings.updatedAt,
    answer: skillRatings.answer,
    answered_at: skillRatings.answeredAt,
    hidden_at: skillRatings.hiddenAt,
    hidden_reason: skillRatings.hiddenReason,
  },
};

export const REPORT_FACTS = {
  as: "reports",
  columns: {
    id: skillReports.id,
    skill_id: skillReports.skillId,
    rating_id: skillReports.ratingId,
    reason: skillReports.reason,
    message: skillReports.message,
    created_at: skillReports.createdAt,
    decision: skillReports.decision,
    decided_at: skillReports.decidedAt,
  },
};

export const USED_SKILLS = { as: "used_skills", columns: { skill_id: skillUsers.skillId, day: skillUsers.day } };
