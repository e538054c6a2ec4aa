// Routes for /api/v1/open-skills: skills that can be read without a key. Admins only.

import { createRoute } from "@hono/zod-openapi";
import { router } from "../edge/router";
import { instant, json, noContent, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { closeSkill, openSkill, readOpenList } from "../services/compat/open-skills";
import type { OpenSkill } from "../storage/d1/compat/open-skills";

const params = z.object({ id: z.string() });

const openSchema = () =>
  z
    .object({ skill_id: z.string(), name: z.string(), opened_by: z.string(), opened_at: z.string() })
    .openapi("OpenSkill");

const item = ({ skillId, name, createdBy, createdAt }: OpenSkill) => ({
  ...{ skill_id: skillId, name, opened_by: createdBy, opened_at: instant(createdAt) },
});

export const openSkillRoutes = router();

openSkillRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists the skills that are available without a key.",
    responses: {
      200: json("All entries by name.", () => z.object({ items: z.array(openSchema()) })),
      ...refusals(403),
    },
  }),
  async (c) => c.json({ items: (await readOpenList(c.get("context"))).map(item) }, 200),
);

openSkillRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}",
    summary: "Makes a public skill available without a key.",
    request: { params },
    responses: { 200: json("The entry.", openSchema), ...refusals(403, 404, 409) },
  }),
  async (c) => c.json(item(await openSkill(c.get("context"), c.req.valid("param").id)), 200),
);

openSkillRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}",
    summary: "Removes a skill from the open list.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await closeSkill(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);
