// Reports of abuse about skills and ratings: users write them, and admins decide.

import * as z from "zod";
import type { ReportDecision, ReportReason } from "../../domain/catalog/rating";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import { RATING_LIMITS, REQUEST_LIMITS } from "../../domain/limits";
import {
  decideReport,
  insertReport,
  listReports,
  type ReportRow,
  readAbuseReport,
} from "../../storage/d1/registry/reports";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { findRating } from "./ratings";
import { findSkillHead } from "./skills";

/** A report of a user. */
interface NewReport {
  reason: ReportReason;
  message: string | null;
  /** The reported rating; `null`: the skill. */
  ratingId: string | null;
}

const reportCursor = z.lazy(() => z.object({ at: z.number(), id: z.string() }));

/** Stores a report about a skill, or about one of its ratings, that the caller can see. */
export async function reportSkill(context: Context, skillId: string, report: NewReport): Promise<{ id: string }> {
  await findSkillHead(context, skillId);
  const { ratingId, ...rest } = report;
  if (ratingId !== null) await findRating(context, skillId, ratingId);
  const id = context.newId("rpt");
  const { userId } = context.caller.principal;
  const row = { id, skillId, ratingId: ratingId ?? "", userId, ...rest };
  const outcome = await insertReport(context.db, row, RATING_LIMITS.openReports);
  if (outcome === "stored") return { id };
  if (outcome === "duplicate")
    throw new GatewayError("conflict", "ALREADY_REPORTED", "You already reported this. Wait until an admin decides.");
  const message = `Too many of your reports wait for a decision (limit ${RATING_LIMITS.openReports}). Wait until an admin decides.`;
  throw new GatewayError("conflict", "TOO_MANY_REPORTS", message, { limit: RATING_LIMITS.openReports });
}

/** Returns a page of reports: open ones, oldest first, or decided ones, newest first. Admins only. */
export async function readReports(
  context: Context,
  state: "open" | "decided",
  { limit = REQUEST_LIMITS.listLimit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ reports: ReportRow[]; nextCursor: string | null }> {
  requireAdmin(context.caller.principal);
  const rows = await listReports(context.db, state, limit + 1, decodeCursor(cursor, reportCursor));
  const { page, nextCursor } = pageOf(rows, limit, ({ id, decidedAt }) => ({ at: decidedAt ?? 0, id }));
  return { reports: page, nextCursor };
}

/** Decides an open report. Admins only. With `rating_hidden`, the reported rating is hidden. */
export async function decideOnReport(
  context: Context,
  id: string,
  { decision, note }: { decision: ReportDecision; note: string | null },
): Promise<ReportRow> {
  const { principal } = context.caller;
  requireAdmin(principal);
  const report = await findReport(context, id);
  if (decision === "rating_hidden" && report.stars === null)
    throw invalid([
      {
        code: "INVALID_FIELD",
        message: "The report is not about a rating, or the rating was deleted. Use `resolved` or `dismissed`.",
        path: "decision",
      },
    ]);
  const { skillId: skill_id, ratingId: rating_id } = report;
  const recorded = audited(context, "report.decide", id, {
    after: { skill_id, rating_id, decision, note },
    when: "was",
  });
  if (!(await decideReport(recorded, report, { decision, note, by: principal.userId })))
    throw new GatewayError("conflict", "ALREADY_DECIDED", "The report was already decided. Read the list again.");
  return findReport(context, id);
}

async function findReport(context: Context, id: string): Promise<ReportRow> {
  const found = await readAbuseReport(context.db, id);
  if (found === null) throw new GatewayError("not_found", "REPORT_NOT_FOUND", "Report not found. Check the id.");
  return found;
}
