// Routes for usage counts of skills by day and version, without users.

import { createRoute } from "@hono/zod-openapi";
import { USE_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { integerParameter, json, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { readSkillUsage, readUsageOfAll } from "../../services/registry/skill-usage";

const counts = { loads: z.int(), calls: z.int(), failures: z.int(), tokens: z.int() };

export const usageRoutes = router();

usageRoutes.openapi(
  createRoute({
    method: "get",
    path: "/usage",
    summary: "Returns how often skills were used.",
    request: {
      query: z.object({
        days: integerParameter(1, USE_LIMITS.daysOfAll).default(7),
        top: integerParameter(1, USE_LIMITS.topMost).default(USE_LIMITS.top),
      }),
    },
    responses: {
      200: json("The counts by day, and the most loaded skills.", () =>
        z.object({
          since: z.string(),
          until: z.string(),
          skills: z.int().openapi({ description: "The number of skills that were used." }),
          totals: z.object(counts),
          before: z.object(counts).openapi({ description: "The sums of the same number of days before `since`." }),
          days: z.array(z.object({ day: z.string(), ...counts })),
          top: z.array(z.object({ skill_id: z.string(), skill_name: z.string(), ...counts })),
        }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { since, until, days, ...found } = await readUsageOfAll(c.get("context"), c.req.valid("query"));
    const used = {
      since: dateOf(since),
      until: dateOf(until),
      ...found,
      days: days.map(({ day, ...rest }) => ({ day: dateOf(day), ...rest })),
    };
    return c.json(used, 200);
  },
);

usageRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/usage",
    summary: "Returns how often a skill was used.",
    request: {
      params: z.object({ id: z.string() }),
      query: z.object({ days: integerParameter(1, USE_LIMITS.days).default(30) }),
    },
    responses: {
      200: json("The counts by day and by version.", () =>
        z.object({
          skill_id: z.string(),
          skill_name: z.string(),
          since: z.string(),
          until: z.string(),
          totals: z.object(counts),
          days: z.array(z.object({ day: z.string(), ...counts })),
          versions: z.array(z.object({ version_id: z.string(), version: z.string().nullable(), ...counts })),
        }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { skill, since, until, totals, days, versions } = await readSkillUsage(
      c.get("context"),
      c.req.valid("param").id,
      c.req.valid("query").days,
    );
    const used = {
      skill_id: skill.id,
      skill_name: skill.name,
      since: dateOf(since),
      until: dateOf(until),
      totals,
      days: days.map(({ day, ...rest }) => ({ day: dateOf(day), ...rest })),
      versions,
    };
    return c.json(used, 200);
  },
);

function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
