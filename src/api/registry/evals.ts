// Routes for recorded runs of a skill's test cases.

import { createRoute } from "@hono/zod-openapi";
import { hasDistinctNames, type Regressions } from "../../domain/insights/evals";
import { EVAL_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { instant, json, jsonBody, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { findEvals, listEvals, recordEvals } from "../../services/registry/evals";
import type { EvalRunRow } from "../../storage/d1/registry/evals";

const { sentChars, toolChars } = EVAL_LIMITS;

const runRequest = () =>
  z
    .strictObject({
      version_id: z.string().max(100).optional().describe("The tested version."),
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "Send 64 hexadecimal digits.")
        .optional()
        .describe("The digest of tested content that need not be published yet, as `skillgate` computes it."),
      runner: z.string().min(1).max(toolChars).optional().describe("The program that ran the cases."),
      model: z.string().min(1).max(toolChars).optional().describe("The model that the cases used, if any."),
      cases: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(sentChars),
            passed: z.boolean(),
            reason: z.string().max(sentChars).optional(),
          }),
        )
        .min(1)
        .max(EVAL_LIMITS.cases)
        .refine(hasDistinctNames, {
          error: "Names repeat or are empty after they are shortened. Use each name once.",
        })
        .describe(
          `The results. Names identify cases across versions; they are cut after ${EVAL_LIMITS.nameChars} characters, reasons after ${EVAL_LIMITS.reasonChars}. Credentials are removed.`,
        ),
    })
    .refine(({ version_id, digest }) => (version_id === undefined) !== (digest === undefined), {
      path: ["version_id"],
      error: "Send either `version_id` or `digest`.",
    })
    .openapi("EvalRunRequest");

/** Cases that fail now and passed before. */
export const regressionsSchema = () =>
  z
    .object({ version_id: z.string(), version: z.string().nullable(), cases: z.array(z.string()) })
    .nullable()
    .openapi({ description: "The cases that passed with this version before and fail now. `null`: none." });

const recordedSchema = () =>
  z
    .object({
      id: z.string(),
      version_id: z.string().nullable(),
      version: z.string().nullable(),
      passed: z.int(),
      failed: z.int(),
      regressions: regressionsSchema(),
    })
    .openapi("RecordedEvalRun");

const summary = () => ({
  id: z.string(),
  version_id: z.string().nullable().openapi({ description: "`null`: no version has the tested content." }),
  version: z.string().nullable(),
  digest: z.string(),
  is_current: z.boolean(),
  is_newest: z.boolean().openapi({ description: "Whether it is the newest run of this content." }),
  recorded_at: z.string(),
  recorded_by: z.string(),
  runner: z.string().nullable(),
  model: z.string().nullable(),
  passed: z.int(),
  failed: z.int(),
  pass_rate: z.number().openapi({ description: "Passed cases, 0 to 1." }),
});

const runSchema = () => z.object(summary()).openapi("EvalRun");
const caseSchema = () => z.object({ name: z.string(), passed: z.boolean(), reason: z.string().optional() });
const wholeRunSchema = () => z.object({ ...summary(), cases: z.array(caseSchema()) }).openapi("EvalRunWithCases");

export const evalRoutes = router();

evalRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/evals",
    summary: "Lists the recorded runs of a skill's test cases, newest first.",
    request: { params: z.object({ id: z.string() }) },
    responses: { 200: json("The runs.", () => z.object({ items: z.array(runSchema()) })), ...refusals(403, 404) },
  }),
  async (c) => {
    const { skill, runs } = await listEvals(c.get("context"), c.req.valid("param").id);
    return c.json({ items: runs.map((run) => wireRun(run, skill.currentId)) }, 200);
  },
);

evalRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/evals",
    summary: "Records a run of a skill's test cases.",
    request: { params: z.object({ id: z.string() }), body: jsonBody(runRequest) },
    responses: { 201: json("The run, compared with the version before.", recordedSchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { version_id, digest = "", runner = null, model = null, cases } = c.req.valid("json");
    const run = {
      ...{ content: version_id === undefined ? { digest } : { versionId: version_id }, runner, model },
      cases: cases.map(({ reason, ...one }) => (reason === undefined ? one : { ...one, reason })),
    };
    const { id, version, passed, failed, regressions } = await recordEvals(
      c.get("context"),
      c.req.valid("param").id,
      run,
    );
    const content = { version_id: version?.id ?? null, version: version?.label ?? null };
    return c.json({ id, ...content, passed, failed, regressions: wireRegressions(regressions) }, 201);
  },
);

evalRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/evals/{run_id}",
    summary: "Returns a recorded run with its cases.",
    request: { params: z.object({ id: z.string(), run_id: z.string() }) },
    responses: { 200: json("The run.", wholeRunSchema), ...refusals(403, 404) },
  }),
  async (c) => {
    const { id, run_id } = c.req.valid("param");
    const { skill, run } = await findEvals(c.get("context"), id, run_id);
    return c.json({ ...wireRun(run, skill.currentId), cases: run.cases }, 200);
  },
);

/** Returns regressions as `regressionsSchema` describes them. */
export function wireRegressions(found: Regressions | null): z.infer<ReturnType<typeof regressionsSchema>> {
  if (found === null) return null;
  return { version_id: found.before.versionId, version: found.before.label, cases: found.names };
}

function wireRun(run: EvalRunRow, currentId: string): z.infer<ReturnType<typeof runSchema>> {
  const { id, versionId, label, digest, createdAt, createdBy, runner, model, passed, failed } = run;
  return {
    ...{ id, version_id: versionId, version: label, digest },
    ...{ is_current: versionId !== null && versionId === currentId, is_newest: run.isNewest === 1 },
    ...{ recorded_at: instant(createdAt), recorded_by: createdBy, runner, model, passed, failed },
    pass_rate: passed / (passed + failed),
  };
}
