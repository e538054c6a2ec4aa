// Routes for the gradual rollout of a version of a skill.

import { createRoute } from "@hono/zod-openapi";
import { router } from "../../edge/router";
import { instant, json, jsonBody, noContent, optionalJsonBody, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  findRollout,
  promoteRollout,
  type RolloutInProgress,
  setRollout,
  stopRollout,
} from "../../services/registry/rollouts";
import { skillResource, skillSchema } from "./resources";

const params = z.object({ id: z.string() });

const arm = () =>
  z.object({
    version_id: z.string(),
    version: z.string().nullable(),
    uses: z.int().openapi({ description: "Calls of tools and scripts, and rated turns, since the rollout began." }),
    failures: z.int().openapi({ description: "Failed calls, and turns with bad feedback." }),
  });

const rolloutSchema = () =>
  z
    .object({
      skill_id: z.string(),
      percent: z.int(),
      started_at: z.string(),
      candidate: arm(),
      current: arm(),
      failing: z.boolean().openapi({ description: "Whether the candidate fails significantly more often." }),
    })
    .openapi("Rollout");

const rolloutRequest = () =>
  z
    .strictObject({
      candidate: z.string().min(1).max(200).describe("Id or label of the version."),
      percent: z.int().min(1).max(100).describe("The share of the conversations that use the candidate."),
    })
    .openapi("RolloutRequest");

const promotion = () =>
  z
    .strictObject({
      candidate: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe(
          "Id or label of the candidate. Another one is 409 `OTHER_CANDIDATE`. By default, any candidate is promoted.",
        ),
    })
    .openapi("RolloutPromotion");

export const rolloutRoutes = router();

rolloutRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/rollout",
    summary: "Returns the rollout of a skill.",
    request: { params },
    responses: { 200: json("The rollout.", rolloutSchema), ...refusals(403, 404) },
  }),
  async (c) => c.json(wireRollout(await findRollout(c.get("context"), c.req.valid("param").id)), 200),
);

rolloutRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/rollout",
    summary: "Starts the rollout of a version, or changes its share.",
    request: { params, body: jsonBody(rolloutRequest) },
    responses: { 200: json("The rollout.", rolloutSchema), ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    const set = await setRollout(c.get("context"), c.req.valid("param").id, c.req.valid("json"));
    return c.json(wireRollout(set), 200);
  },
);

rolloutRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/rollout/promote",
    summary: "Makes the candidate of a rollout the current version.",
    request: { params, body: optionalJsonBody(promotion) },
    responses: { 200: json("The skill.", skillSchema), ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    const { candidate = null } = c.req.valid("json") ?? {};
    const promoted = await promoteRollout(c.get("context"), c.req.valid("param").id, candidate);
    return c.json(skillResource(promoted), 200);
  },
);

rolloutRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}/rollout",
    summary: "Ends a rollout without changing the current version.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await stopRollout(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

function wireRollout(row: RolloutInProgress): z.infer<ReturnType<typeof rolloutSchema>> {
  const { candidateId, candidateLabel, formerId, formerLabel } = row;
  return {
    ...{ skill_id: row.skillId, percent: row.percent, started_at: instant(row.startedAt) },
    candidate: {
      ...{ version_id: candidateId, version: candidateLabel },
      ...{ uses: row.candidateUses, failures: row.candidateFailures },
    },
    current: {
      ...{ version_id: formerId, version: formerLabel },
      ...{ uses: row.formerUses, failures: row.formerFailures },
    },
    failing: row.failingAt !== null,
  };
}
