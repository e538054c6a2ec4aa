// Stores reports of abuse about skills and ratings.

import { and, asc, desc, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { ReportDecision, ReportReason } from "../../../domain/catalog/rating";
import type { Database } from "../database";
import { skillRatings, skillReports } from "../schema/ratings";
import { now as databaseNow, skills } from "../schema/registry";
import { hideRatingStatement } from "./ratings";

/** A report with what it is about. */
export interface ReportRow {
  id: string;
  skillId: string;
  skillName: string;
  scope: string;
  /** Empty: the skill itself. */
  ratingId: string;
  /** The reported rating; `null` if the report is about a skill or the rating was deleted. */
  stars: number | null;
  comment: string | null;
  userId: string;
  reason: string;
  message: string | null;
  createdAt: number;
  decision: string | null;
  note: string | null;
  decidedBy: string | null;
  decidedAt: number | null;
}

const columns = {
  id: skillReports.id,
  skillId: skillReports.skillId,
  skillName: skills.name,
  scope: skills.scope,
  ratingId: skillReports.ratingId,
  stars: skillRatings.stars,
  comment: skillRatings.comment,
  userId: skillReports.userId,
  reason: skillReports.reason,
  message: skillReports.message,
  createdAt: sql<number>`${skillReports.createdAt}`.as("reported_at"),
  decision: skillReports.decision,
  note: skillReports.note,
  decidedBy: skillReports.decidedBy,
  decidedAt: skillReports.decidedAt,
};

const selectReports = (db: Database) =>
  db
    .select(columns)
    .from(skillReports)
    .innerJoin(skills, eq(skills.id, skillReports.skillId))
    .leftJoin(skillRatings, eq(skillRatings.id, skillReports.ratingId));

/**
 * Stores a report while the user has fewer than `most` open ones and none about the same thing. Returns `duplicate` or `full` otherwise.
 */
export async function insertReport(
  db: Database,
  report: {
    id: string;
    skillId: string;
    ratingId: string;
    userId: string;
    reason: ReportReason;
    message: string | null;
  },
  most: number,
): Promise<"stored" | "duplicate" | "full"> {
  const { id, skillId, ratingId, userId, reason, message } = report;
  const open = sql`FROM ${skillReports} WHERE user_id = ${userId} AND decided_at IS NULL`;
  const same = sql`(SELECT count(*) ${open} AND skill_id = ${skillId} AND rating_id = ${ratingId})`;
  const [written, [known]] = await db.batch([
    db
      .insert(skillReports)
      .select(
        sql`SELECT ${id}, ${skillId}, ${ratingId}, ${userId}, ${reason}, ${message}, ${databaseNow}, NULL, NULL, NULL, NULL
          WHERE (SELECT count(*) ${open}) < ${most} AND ${same} = 0`,
      )
      .returning({ id: skillReports.id }),
    db
      .select({ same: sql<number>`${same}`.as("same_reports") })
      .from(skills)
      .where(eq(skills.id, skillId)),
  ]);
  if (written.length > 0) return "stored";
  return (known?.same ?? 0) > 0 ? "duplicate" : "full";
}

/** Returns a page of reports: open ones, oldest first, or decided ones, newest decision first. */
export function listReports(
  db: Database,
  state: "open" | "decided",
  limit: number,
  after: { at: number; id: string } | null,
): Promise<ReportRow[]> {
  if (state === "open")
    return selectReports(db)
      .where(and(isNull(skillReports.decidedAt), after === null ? undefined : sql`${skillReports.id} > ${after.id}`))
      .orderBy(asc(skillReports.id))
      .limit(limit);
  const older =
    after === null ? undefined : sql`(${skillReports.decidedAt}, ${skillReports.id}) < (${after.at}, ${after.id})`;
  return selectReports(db)
    .where(and(isNotNull(skillReports.decidedAt), older))
    .orderBy(desc(skillReports.decidedAt), desc(skillReports.id))
    .limit(limit);
}

/** Returns a report by id. */
export async function readAbuseReport(db: Database, id: string): Promise<ReportRow | null> {
  const [found] = await selectReports(db).where(eq(skillReports.id, id));
  return found ?? null;
}

/** Decides an open report, and hides its rating if the decision says so. Returns `false` if it was decided or deleted meanwhile. */
export async function decideReport(
  db: Database,
  { id, ratingId }: Pick<ReportRow, "id" | "ratingId">,
  { decision, note, by }: { decision: ReportDecision; note: string | null; by: string },
): Promise<boolean> {
  const decided = db
    .update(skillReports)
    .set({ decision, note, decidedBy: by, decidedAt: databaseNow })
    .where(and(eq(skillReports.id, id), isNull(skillReports.decidedAt)))
    .returning({ id: skillReports.id });
  const [written] =
    decision === "rating_hidden"
      ? await db.batch([decided, hideRatingStatement(db, ratingId, { by, reason: note })])
      : await db.batch([decided]);
  return written.length > 0;
}

/** Deletes reports that were decided before this time. */
export async function deleteOldReports(db: Database, before: number): Promise<void> {
  await db.delete(skillReports).where(lt(skillReports.decidedAt, before));
}
