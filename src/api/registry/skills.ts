// Routes for /api/v1/kinds/skills: lists, single skills and their references. See also `uploads.ts`, `files.ts` and `versions.ts`.

import { createRoute } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { invalid } from "../../domain/errors";
import type { HttpEnv } from "../../edge/edge";
import { notModified, tagged } from "../../edge/etag";
import { flag, listQuery, requireOneStart, setNextLink } from "../../edge/paging";
import { addLogIdHeader } from "../../edge/request-log";
import { router } from "../../edge/router";
import { json, jsonBody, noContent, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { invokeSkill } from "../../services/registry/by-name";
import {
  deleteSkill,
  readSkillReferences,
  removeSkillReference,
  removeSkillReferences,
} from "../../services/registry/deletion";
import { readContents, readSkills, readUnified } from "../../services/registry/listing";
import { findPublicSkillFor, findSkill } from "../../services/registry/skills";
import { draftRoutes } from "./drafts";
import { evalRoutes } from "./evals";
import { withExcludedClients } from "./excluded-clients";
import { files } from "./files";
import { networkRoutes } from "./network";
import { permissionRoutes } from "./permissions";
import { ratingRoutes } from "./ratings";
import { ghostRefSchema, skillItem, skillItemSchema, skillResource, skillSchema } from "./resources";
import { rolloutRoutes } from "./rollouts";
import { uploads } from "./uploads";
import { usageRoutes } from "./usage";
import { versionRoutes } from "./versions";

const params = z.object({ id: z.string() });
const next = {
  link: { description: 'The next page as `rel="next"`, if there is one.', schema: { type: "string" } },
} as const;
const items = () => z.array(skillItemSchema());

/** A search has no `total`: counting all matches would cost more than the result is worth. */
const oneQuestion = createMiddleware<HttpEnv>(async (c, proceed) => {
  const others = ["name", "exact_match", "count"].filter((field) => c.req.query(field) !== undefined);
  if (c.req.query("q") !== undefined && others.length > 0) {
    const message =
      "`q` cannot be combined with this parameter. Allowed with `q`: `namespace`, `limit`, `cursor`, `skip`.";
    throw invalid(others.map((field) => ({ code: "INVALID_FIELD", message, path: `query.${field}` })));
  }
  await proceed();
});

export const skillRoutes = router();
// Before routes whose id matches any text.
skillRoutes.route("/", draftRoutes);

skillRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists or searches skills.",
    middleware: [requireOneStart, oneQuestion] as const,
    request: {
      query: listQuery.extend({
        namespace: z.string().optional(),
        name: z.string().optional(),
        q: z.string().optional().openapi({ description: "Search words. Only the first 1 200 characters are used." }),
        exact_match: flag,
        count: flag,
      }),
    },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(skillSchema()), next_cursor: z.string().nullable(), total: z.int().optional() }),
      ),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { records, nextCursor, total } = await readSkills(c.get("context"), c.req.valid("query"));
    const counted = total === null ? {} : { total };
    return c.json({ items: records.map(skillResource), next_cursor: nextCursor, ...counted }, 200);
  },
);

skillRoutes.openapi(
  createRoute({
    method: "get",
    path: "/unified",
    summary: "Lists all skills that you can use, each name once.",
    middleware: requireOneStart,
    request: {
      query: listQuery.extend({
        scope: z.enum(["all", "personal", "group"]).default("all"),
        group_name: z.string().optional(),
        contents: flag.openapi({ description: "Whether each skill has the field `contents`." }),
      }),
    },
    responses: { 200: { ...json("A page of the list.", items), headers: next }, ...refusals(400, 404) },
  }),
  async (c) => {
    const { scope, group_name, contents, ...query } = c.req.valid("query");
    const context = c.get("context");
    const { skills: found, nextCursor } = await readUnified(context, scope, group_name, query);
    const known = contents ? await readContents(context, found) : null;
    const list = found.map((skill) =>
      skillItem(skill, known === null ? undefined : (known.get(skill.versionId) ?? [])),
    );
    return c.json(list, 200, setNextLink(c.req.url, nextCursor));
  },
);

skillRoutes.openapi(
  createRoute({
    method: "get",
    path: "/public/list",
    summary: "Lists public skills.",
    middleware: requireOneStart,
    request: { query: listQuery },
    responses: { 200: { ...json("A page of the list.", items), headers: next }, ...refusals(400) },
  }),
  async (c) => {
    const { skills: found, nextCursor } = await readUnified(
      c.get("context"),
      "public",
      undefined,
      c.req.valid("query"),
    );
    return c.json(
      found.map((skill) => skillItem(skill)),
      200,
      setNextLink(c.req.url, nextCursor),
    );
  },
);

skillRoutes.openapi(
  createRoute({
    method: "post",
    path: "/invoke",
    summary: "Returns the instructions of a skill by name.",
    request: { body: jsonBody(() => z.strictObject({ skill_name: z.string().min(1).max(200) })) },
    responses: {
      200: json("The instructions.", () => z.object({ prompt: z.string() })),
      ...refusals(400, 403, 404, 415),
    },
  }),
  async (c) => c.json({ prompt: await invokeSkill(c.get("context"), c.req.valid("json").skill_name) }, 200),
);

skillRoutes.route("/", uploads);
skillRoutes.route("/", files);
skillRoutes.route("/", versionRoutes);
skillRoutes.route("/", rolloutRoutes);
skillRoutes.route("/", evalRoutes);
skillRoutes.route("/", permissionRoutes);
skillRoutes.route("/", networkRoutes);
skillRoutes.route("/", usageRoutes);
skillRoutes.route("/", ratingRoutes);

skillRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}",
    summary: "Returns a skill.",
    middleware: tagged,
    request: { params },
    responses: { 200: json("The skill.", skillSchema), 304: notModified, ...refusals(404) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const found = await findSkill(c.get("context"), id);
    await addLogIdHeader(c, { skill: id });
    return c.json(withExcludedClients(skillResource(found), found), 200);
  },
);

skillRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}",
    summary: "Deletes a skill.",
    request: { params, query: z.object({ force: flag }) },
    responses: { 204: noContent, ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    await deleteSkill(c.get("context"), c.req.valid("param").id, c.req.valid("query").force);
    return c.body(null, 204);
  },
);

skillRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/public/{id}",
    summary: "Deletes a public skill.",
    request: { params, query: z.object({ force: flag }) },
    responses: { 204: noContent, ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    const { id } = await findPublicSkillFor(c.get("context"), "delete", c.req.valid("param").id);
    await deleteSkill(c.get("context"), id, c.req.valid("query").force);
    return c.body(null, 204);
  },
);

skillRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/references",
    summary: "Lists the agents (ghosts) that use a skill.",
    request: { params },
    responses: {
      200: json("The references.", () =>
        z.object({
          skill_id: z.string(),
          skill_name: z.string(),
          referenced_ghosts: z.array(ghostRefSchema()),
          hidden_count: z.int(),
        }),
      ),
      ...refusals(404),
    },
  }),
  async (c) => c.json(await readSkillReferences(c.get("context"), c.req.valid("param").id), 200),
);

skillRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/remove-references",
    summary: "Removes a skill from all agents (ghosts) that you can change.",
    request: { params },
    responses: {
      200: json("Done.", () => z.object({ removed_count: z.int(), affected_ghosts: z.array(ghostRefSchema()) })),
      ...refusals(404),
    },
  }),
  async (c) => {
    const affected = await removeSkillReferences(c.get("context"), c.req.valid("param").id);
    return c.json({ removed_count: affected.length, affected_ghosts: affected }, 200);
  },
);

skillRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/remove-reference/{ghost_id}",
    summary: "Removes a skill from one agent (ghost).",
    request: { params: z.object({ id: z.string(), ghost_id: z.string() }) },
    responses: {
      200: json("Done.", () => z.object({ success: z.boolean(), ghost_name: z.string() })),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { id, ghost_id } = c.req.valid("param");
    return c.json({ success: true, ghost_name: await removeSkillReference(c.get("context"), id, ghost_id) }, 200);
  },
);
