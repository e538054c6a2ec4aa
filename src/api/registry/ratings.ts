// Routes for ratings of skills, and for reports of abuse.

import { createRoute } from "@hono/zod-openapi";
import { REPORT_DECISIONS, REPORT_REASONS } from "../../domain/catalog/rating";
import { RATING_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  answerSkillRating,
  type Rating,
  rateSkill,
  readSkillRatings,
  setRatingHidden,
  withdrawRating,
} from "../../services/registry/ratings";
import { decideOnReport, readReports, reportSkill } from "../../services/registry/reports";
import type { ReportRow } from "../../storage/d1/registry/reports";

const params = z.object({ id: z.string() });
const ratingParams = z.object({ id: z.string(), rating_id: z.string() });
/** A text without surrounding space. An empty text is none. */
const textOf = (most: number) =>
  z
    .string()
    .max(most)
    .nullable()
    .default(null)
    .transform((text) => text?.trim().toWellFormed() || null);

const ratingSchema = () =>
  z
    .object({
      id: z.string(),
      stars: z.int().min(1).max(5),
      comment: z.string().nullable(),
      version_id: z.string(),
      version: z.string().nullable(),
      created_at: z.string(),
      updated_at: z.string(),
      answer: z.object({ text: z.string(), answered_at: z.string() }).nullable(),
      is_own: z.boolean(),
      hidden: z
        .object({ hidden_at: z.string(), reason: z.string().nullable() })
        .nullable()
        .openapi({ description: "Set while an admin hides the rating. Only its author and admins see it." }),
    })
    .openapi("Rating");

const summarySchema = () =>
  z
    .object({
      count: z.int(),
      average: z.number().nullable().openapi({ description: "Mean of the stars. `null` without ratings." }),
      score: z.number().openapi({ description: "The Bayesian average: (5 × 3.5 + sum of stars) / (5 + count)." }),
    })
    .openapi("RatingSummary");

const ratingsSchema = () =>
  z
    .object({
      summary: summarySchema(),
      own: z.union([ratingSchema(), z.null()]),
      can_rate: z.boolean(),
      cannot_rate_because: z
        .enum(["private", "own_skill", "not_used"])
        .nullable()
        .openapi({ description: "`null` if you can rate the skill." }),
      can_answer: z.boolean(),
      items: z.array(ratingSchema()),
      next_cursor: z.string().nullable(),
    })
    .openapi("Ratings");

const reportSchema = () =>
  z
    .object({
      id: z.string(),
      skill_id: z.string(),
      skill_name: z.string(),
      namespace: z.string().openapi({ description: "`public` or the name of a group." }),
      rating: z
        .object({ id: z.string(), stars: z.int().nullable(), comment: z.string().nullable() })
        .nullable()
        .openapi({ description: "The reported rating. `null` if the report is about the skill." }),
      user_id: z.string(),
      reason: z.enum(REPORT_REASONS),
      message: z.string().nullable(),
      created_at: z.string(),
      decision: z
        .object({
          decision: z.enum(REPORT_DECISIONS),
          note: z.string().nullable(),
          decided_by: z.string(),
          decided_at: z.string(),
        })
        .nullable(),
    })
    .openapi("Report");

export const ratingRoutes = router();

ratingRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/ratings",
    summary: "Lists the ratings of a skill.",
    request: { params, query: pageQuery },
    responses: { 200: json("The ratings, newest first.", ratingsSchema), ...refusals(400, 404) },
  }),
  async (c) => {
    const found = await readSkillRatings(c.get("context"), c.req.valid("param").id, c.req.valid("query"));
    const { summary, own, bar, canAnswer, page, nextCursor } = found;
    return c.json(
      {
        summary,
        own: own === null ? null : ratingResource(own),
        ...{ can_rate: bar === null, cannot_rate_because: bar, can_answer: canAnswer },
        items: page.map(ratingResource),
        next_cursor: nextCursor,
      },
      200,
    );
  },
);

ratingRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/ratings/own",
    summary: "Rates a skill.",
    request: {
      params,
      body: jsonBody(() =>
        z.strictObject({ stars: z.int().min(1).max(5), comment: textOf(RATING_LIMITS.commentChars) }),
      ),
    },
    responses: { 200: json("The rating.", ratingSchema), ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    const rating = await rateSkill(c.get("context"), c.req.valid("param").id, c.req.valid("json"));
    return c.json(ratingResource(rating), 200);
  },
);

ratingRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}/ratings/own",
    summary: "Deletes your rating of a skill.",
    request: { params },
    responses: { 204: noContent, ...refusals(404) },
  }),
  async (c) => {
    await withdrawRating(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

ratingRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/ratings/{rating_id}/answer",
    summary: "Answers a rating.",
    request: {
      params: ratingParams,
      body: jsonBody(() => z.strictObject({ text: textOf(RATING_LIMITS.commentChars) })),
    },
    responses: { 200: json("The rating with its answer.", ratingSchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { id, rating_id } = c.req.valid("param");
    return c.json(
      ratingResource(await answerSkillRating(c.get("context"), id, rating_id, c.req.valid("json").text)),
      200,
    );
  },
);

ratingRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/ratings/{rating_id}/hidden",
    summary: "Hides a rating or shows it again.",
    request: {
      params: ratingParams,
      body: jsonBody(() => z.strictObject({ hidden: z.boolean(), reason: textOf(RATING_LIMITS.reasonChars) })),
    },
    responses: { 200: json("The rating.", ratingSchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { id, rating_id } = c.req.valid("param");
    return c.json(ratingResource(await setRatingHidden(c.get("context"), id, rating_id, c.req.valid("json"))), 200);
  },
);

ratingRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/reports",
    summary: "Reports a skill or one of its ratings.",
    request: {
      params,
      body: jsonBody(() =>
        z.strictObject({
          reason: z.enum(REPORT_REASONS),
          message: textOf(RATING_LIMITS.messageChars),
          rating_id: z.string().max(64).nullable().default(null),
        }),
      ),
    },
    responses: { 201: json("Stored.", () => z.object({ id: z.string() })), ...refusals(400, 404, 409) },
  }),
  async (c) => {
    const { rating_id: ratingId, ...report } = c.req.valid("json");
    return c.json(await reportSkill(c.get("context"), c.req.valid("param").id, { ...report, ratingId }), 201);
  },
);

export const reportRoutes = router();

reportRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists reports.",
    request: { query: pageQuery.extend({ state: z.enum(["open", "decided"]).default("open") }) },
    responses: {
      200: json("Open reports, oldest first, or decided ones, newest decision first.", () =>
        z.object({ items: z.array(reportSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { state, ...page } = c.req.valid("query");
    const { reports, nextCursor } = await readReports(c.get("context"), state, page);
    return c.json({ items: reports.map(reportResource), next_cursor: nextCursor }, 200);
  },
);

reportRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/decision",
    summary: "Decides a report.",
    request: {
      params,
      body: jsonBody(() =>
        z.strictObject({ decision: z.enum(REPORT_DECISIONS), note: textOf(RATING_LIMITS.reasonChars) }),
      ),
    },
    responses: { 200: json("The decided report.", reportSchema), ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    const report = await decideOnReport(c.get("context"), c.req.valid("param").id, c.req.valid("json"));
    return c.json(reportResource(report), 200);
  },
);

function ratingResource(rating: Rating): z.infer<ReturnType<typeof ratingSchema>> {
  const { id, stars, comment, versionId, label, createdAt, updatedAt, answer, answeredAt, isOwn } = rating;
  return {
    ...{ id, stars, comment, version_id: versionId, version: label },
    ...{ created_at: instant(createdAt), updated_at: instant(updatedAt) },
    answer: answer === null ? null : { text: answer, answered_at: instant(answeredAt ?? updatedAt) },
    is_own: isOwn,
    hidden: rating.hiddenAt === null ? null : { hidden_at: instant(rating.hiddenAt), reason: rating.hiddenReason },
  };
}

const reasonSchema = z.enum(REPORT_REASONS).catch("other");
const decisionSchema = z.enum(REPORT_DECISIONS).catch("resolved");

function reportResource(report: ReportRow): z.infer<ReturnType<typeof reportSchema>> {
  const { id, skillId, skillName, scope, ratingId, stars, comment, userId, message, decidedBy, decidedAt } = report;
  return {
    ...{ id, skill_id: skillId, skill_name: skillName, namespace: scope.replace(/^group:/, "") },
    rating: ratingId === "" ? null : { id: ratingId, stars, comment },
    ...{ user_id: userId, reason: reasonSchema.parse(report.reason), message, created_at: instant(report.createdAt) },
    decision:
      decidedAt === null
        ? null
        : {
            ...{ decision: decisionSchema.parse(report.decision), note: report.note, decided_by: decidedBy ?? "" },
            decided_at: instant(decidedAt),
          },
  };
}
