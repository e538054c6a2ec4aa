// Routes for /api/v1/reviews: submit drafts, read and comment on submissions, and decide them.

import { createRoute } from "@hono/zod-openapi";
import { DEFAULT_NAMESPACE, groupOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { REQUEST_LIMITS, REVIEW_LIMITS } from "../../domain/limits";
import { REVIEW_DECISIONS, REVIEW_EVENTS, REVIEW_STATES } from "../../domain/review/review";
import { router } from "../../edge/router";
import { instant, issueSchema, json, jsonBody, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  openReviewPackage,
  type ReviewInFull,
  readReviewInFull,
  readSubmissions,
  type TestResults,
} from "../../services/review/read";
import type { ReviewEventRow, ReviewRow } from "../../storage/d1/review/reviews";
import { regressionsSchema, wireRegressions } from "./evals";
import { changedPermissions } from "./permissions";
import { routingSchema } from "./resources";

const text = () =>
  z
    .string()
    .min(1)
    .max(REVIEW_LIMITS.commentChars)
    .regex(/^(?:\P{Cc}|[\t\r\n])*$/u, "contains control characters");
const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in lower-case hex");

const reviewSchema = () =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      namespace: z.string(),
      is_public: z.boolean(),
      author: z.string(),
      state: z.enum(REVIEW_STATES),
      version: z.string().nullable().openapi({ description: "The version label." }),
      zip_sha256: z.string().openapi({ description: "SHA-256 of the ZIP under review." }),
      published_version_id: z.string().nullable().openapi({ description: "The version that approval published." }),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .openapi("Review");

const eventSchema = () =>
  z
    .object({
      id: z.string(),
      type: z.enum(REVIEW_EVENTS),
      user_id: z.string(),
      comment: z.string().nullable(),
      path: z.string().nullable(),
      line: z.int().nullable(),
      zip_sha256: z.string().openapi({ description: "The content at that time." }),
      created_at: z.string(),
    })
    .openapi("ReviewEvent");

const fullSchema = () =>
  reviewSchema()
    .extend({
      can_decide: z
        .boolean()
        .openapi({ description: "Whether you can decide it: as a reviewer, and not as its author." }),
      base: z
        .object({ skill_id: z.string(), version_id: z.string(), version: z.string().nullable() })
        .nullable()
        .openapi({ description: "The version that it is compared with; `null`: the skill is new." }),
      content: z
        .object({ description: z.string(), size: z.int(), file_count: z.int(), warnings: z.array(issueSchema()) })
        .nullable()
        .openapi({ description: "`null` if the content was deleted, or changed after the decision." }),
      files: z
        .array(
          z.object({
            path: z.string(),
            change: z.enum(["added", "changed", "removed"]),
            size: z.int().nullable(),
            base_size: z.int().nullable(),
          }),
        )
        .openapi({ description: "Files that differ from the base." }),
      permissions: z.object({ added: changedPermissions(), removed: changedPermissions() }),
      routing: routingSchema()
        .nullable()
        .openapi({ description: "Ranks of the example prompts, as you would see them after approval." }),
      test_results: z
        .object({
          recorded_by: z.string(),
          recorded_at: z.string(),
          runner: z.string().nullable(),
          model: z.string().nullable(),
          passed: z.int().openapi({ description: "Number of cases that passed." }),
          failed: z.int(),
          failing: z.array(z.object({ name: z.string(), reason: z.string().optional() })),
          regressions: regressionsSchema(),
        })
        .nullable()
        .openapi({
          description:
            "The newest recorded run of the test cases with exactly this content. `null`: none is recorded, or you are not a reviewer of the scope.",
        }),
      events: z.array(eventSchema()),
    })
    .openapi("ReviewInFull");

const newReview = () =>
  z.strictObject({
    draft: z.string().min(1).max(200),
    namespace: z.string().min(1).max(64).default(DEFAULT_NAMESPACE),
    public: z.boolean().default(false),
    comment: text().optional(),
  });

const newComment = () =>
  z
    .strictObject({
      comment: text(),
      path: z.string().min(1).max(255).optional(),
      line: z.int().min(1).max(1_000_000).optional(),
    })
    .refine(({ path, line }) => line === undefined || path !== undefined, {
      path: ["line"],
      error: "`line` needs `path`.",
    });

const newDecision = () =>
  z
    .strictObject({
      decision: z.enum(REVIEW_DECISIONS),
      zip_sha256: sha256(),
      base_version_id: z.string().min(1).max(64).nullable().optional(),
      comment: text().optional(),
      bypass: z.boolean().default(false),
    })
    .refine(({ decision, base_version_id }) => (decision === "approve") === (base_version_id !== undefined), {
      path: ["base_version_id"],
      error: "`base_version_id` is required with `decision: approve` and not allowed otherwise.",
    });

const listQuery = pageQuery.extend({
  state: z.enum([...REVIEW_STATES, "open"]).optional(),
  scope: z.string().min(1).max(100).optional(),
  mine: z.enum(["true", "false"]).optional(),
});

const params = z.object({ id: z.string() });

/** The modules that publish packages. Loaded lazily, because few requests need them. */
let submitting: typeof import("../../services/review/submit") | null = null;
let deciding: typeof import("../../services/review/decide") | null = null;

export const reviewRoutes = router();

reviewRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists your submissions and those that you can review, newest first.",
    request: { query: listQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(reviewSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400),
    },
  }),
  async (c) => {
    const { state, scope, mine, limit, cursor } = c.req.valid("query");
    const asked = { state, scope, mine: mine === undefined ? undefined : mine === "true" };
    const page = await readSubmissions(c.get("context"), asked, limit ?? REQUEST_LIMITS.listLimit, cursor);
    return c.json({ items: page.reviews.map(wireReview), next_cursor: page.nextCursor }, 200);
  },
);

reviewRoutes.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Submits a draft for review.",
    request: { body: jsonBody(newReview) },
    responses: {
      200: json("The draft has an open submission to this scope already.", reviewSchema),
      201: json("Submitted.", reviewSchema),
      ...refusals(400, 403, 404, 409, 415, 422),
    },
  }),
  async (c) => {
    const { draft, namespace, public: isPublic, comment = null } = c.req.valid("json");
    submitting ??= await import("../../services/review/submit");
    const asked = { draft, namespace, isPublic, comment };
    const { review, isNew } = await submitting.submitDraft(c.get("context"), asked);
    return c.json(wireReview(review), isNew ? 201 : 200);
  },
);

reviewRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}",
    summary: "Returns a submission with its differences from the current version.",
    request: { params },
    responses: { 200: json("The submission.", fullSchema), ...refusals(404) },
  }),
  async (c) => c.json(wireFull(await readReviewInFull(c.get("context"), c.req.valid("param").id)), 200),
);

reviewRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/download",
    summary: "Downloads the ZIP of a submission.",
    request: { params },
    responses: {
      200: {
        description: "The ZIP.",
        content: { "application/zip": { schema: z.string().openapi({ format: "binary" }) } },
      },
      ...refusals(404),
    },
  }),
  async (c) => {
    const { review, size, body } = await openReviewPackage(c.get("context"), c.req.valid("param").id);
    c.header("content-type", "application/zip");
    c.header("content-length", String(size));
    c.header("etag", `"${review.zipSha256}"`);
    c.header("cache-control", "private, no-store");
    return c.body(body, 200);
  },
);

reviewRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/comments",
    summary: "Comments on a submission.",
    request: { params, body: jsonBody(newComment) },
    responses: { 201: json("Added.", eventSchema), ...refusals(400, 404, 409, 415) },
  }),
  async (c) => {
    const { comment, path = null, line = null } = c.req.valid("json");
    deciding ??= await import("../../services/review/decide");
    const made = await deciding.commentReview(c.get("context"), c.req.valid("param").id, { comment, path, line });
    return c.json(wireEvent(made), 201);
  },
);

reviewRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/decision",
    summary: "Approves, returns or rejects a submission. Approval publishes it.",
    request: { params, body: jsonBody(newDecision) },
    responses: { 200: json("Decided.", reviewSchema), ...refusals(400, 403, 404, 409, 413, 415, 422) },
  }),
  async (c) => {
    const { decision, zip_sha256, base_version_id = null, comment = null, bypass } = c.req.valid("json");
    deciding ??= await import("../../services/review/decide");
    const asked = { decision, zipSha256: zip_sha256, baseId: base_version_id, comment, isBypass: bypass };
    return c.json(wireReview(await deciding.decideReview(c.get("context"), c.req.valid("param").id, asked)), 200);
  },
);

reviewRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/withdraw",
    summary: "Withdraws your submission.",
    request: { params },
    responses: { 200: json("Withdrawn.", reviewSchema), ...refusals(403, 404, 409) },
  }),
  async (c) => {
    submitting ??= await import("../../services/review/submit");
    return c.json(wireReview(await submitting.withdrawReview(c.get("context"), c.req.valid("param").id)), 200);
  },
);

function wireReview(review: ReviewRow): z.infer<ReturnType<typeof reviewSchema>> {
  return {
    id: review.id,
    name: review.name,
    namespace: groupOfScope(review.scope) ?? DEFAULT_NAMESPACE,
    is_public: review.scope === PUBLIC_SCOPE,
    author: review.userId,
    state: review.state,
    version: review.label,
    zip_sha256: review.zipSha256,
    published_version_id: review.publishedId,
    created_at: instant(review.createdAt),
    updated_at: instant(review.updatedAt),
  };
}

function wireEvent(event: ReviewEventRow): z.infer<ReturnType<typeof eventSchema>> {
  const { id, type, userId, comment, path, line, zipSha256, createdAt } = event;
  return { id, type, user_id: userId, comment, path, line, zip_sha256: zipSha256, created_at: instant(createdAt) };
}

function wireTests(found: TestResults) {
  const { recordedBy, recordedAt, runner, model, cases, regressions } = found;
  const failing = cases.filter(({ passed }) => !passed).map(({ passed: _, ...one }) => one);
  return {
    ...{ recorded_by: recordedBy, recorded_at: instant(recordedAt), runner, model },
    ...{ passed: cases.length - failing.length, failed: failing.length, failing },
    regressions: wireRegressions(regressions),
  };
}

function wireFull({ review, canDecide, base, content, files, permissions, ...rest }: ReviewInFull) {
  return {
    ...wireReview(review),
    can_decide: canDecide,
    base: base === null ? null : { skill_id: base.skillId, version_id: base.versionId, version: base.label },
    content:
      content === null
        ? null
        : {
            description: content.description,
            size: content.zipSize,
            file_count: content.files.length,
            warnings: content.warnings,
          },
    files: files.map(({ path, change, size, baseSize }) => ({ path, change, size, base_size: baseSize })),
    permissions,
    routing: rest.routing,
    test_results: rest.testResults === null ? null : wireTests(rest.testResults),
    events: rest.events.map(wireEvent),
  };
}
