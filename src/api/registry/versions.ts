// Routes for the versions of a skill: list, activate, yank and block.

import { createRoute } from "@hono/zod-openapi";
import { REQUEST_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { json, jsonBody, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { putVerdict } from "../../services/compat/version-blocks";
import { attestationOfVersion } from "../../services/registry/attestations";
import { activate, readVersions, unyank, yank } from "../../services/registry/skills";
import { skillResource, skillSchema, versionItem, versionSchema } from "./resources";

const params = z.object({ id: z.string() });

export const versionRoutes = router();

versionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/versions",
    summary: "Lists the versions of a skill, newest first.",
    request: { params, query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(versionSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { id } = c.req.valid("param");
    const atMost = limit ?? REQUEST_LIMITS.listLimit;
    const { skill, versions, nextCursor } = await readVersions(c.get("context"), id, atMost, cursor);
    const items = versions.map((version) => versionItem(version, skill.currentId));
    return c.json({ items, next_cursor: nextCursor }, 200);
  },
);

const attestationSchema = () =>
  z
    .object({
      payloadType: z.string(),
      payload: z.string(),
      signatures: z.array(z.object({ keyid: z.string(), sig: z.string() })),
    })
    .openapi("Attestation");

versionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/versions/{version_id}/attestation",
    summary: "Returns the signed statement about a version.",
    request: { params: z.object({ id: z.string(), version_id: z.string() }) },
    responses: {
      200: json("A DSSE envelope over an in-toto statement.", attestationSchema),
      ...refusals(403, 404),
    },
  }),
  async (c) => {
    const { id, version_id } = c.req.valid("param");
    return c.json(await attestationOfVersion(c.get("context"), id, version_id), 200);
  },
);

/** An admin's block of a version. */
const verdictSchema = () =>
  z
    .strictObject({ blocked: z.boolean(), reason: z.string().min(1).max(500).optional() })
    .refine(({ blocked, reason }) => blocked === (reason !== undefined), {
      path: ["reason"],
      error: "`reason` is required with `blocked: true` and not allowed otherwise.",
    });

versionRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/versions/{version_id}/verdict",
    summary: "Blocks or unblocks a version for other clients.",
    request: { params: z.object({ id: z.string(), version_id: z.string() }), body: jsonBody(verdictSchema) },
    responses: {
      200: json("The new verdict.", () =>
        z.object({ version_id: z.string(), blocked: z.boolean(), reason: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { id, version_id } = c.req.valid("param");
    const { reason } = await putVerdict(c.get("context"), id, version_id, c.req.valid("json").reason ?? null);
    return c.json({ version_id, blocked: reason !== null, reason }, 200);
  },
);

/** Operations on versions: path, description, and use case. */
const VERSION_CHANGES = [
  ["/{id}/versions/{version_id}/activate", "Makes a version the current one.", activate],
  ["/{id}/versions/{version_id}/yank", "Yanks a version.", yank],
  ["/{id}/versions/{version_id}/unyank", "Unyanks a version.", unyank],
] as const;

for (const [path, summary, change] of VERSION_CHANGES) {
  versionRoutes.openapi(
    createRoute({
      method: "post",
      path,
      summary,
      request: { params: z.object({ id: z.string(), version_id: z.string() }) },
      responses: { 200: json("The skill after the change.", skillSchema), ...refusals(403, 404, 409) },
    }),
    async (c) => {
      const { id, version_id } = c.req.valid("param");
      return c.json(skillResource(await change(c.get("context"), id, version_id)), 200);
    },
  );
}
