// Routes for /api/v1/kinds/ghosts: agent definitions. The namespace is `default` (the user's own), `public`, or a group.

import { createRoute } from "@hono/zod-openapi";
import { DEFAULT_NAMESPACE } from "../../domain/access/access";
import { ghostSpecSchema } from "../../domain/catalog/ghost";
import { invalid } from "../../domain/errors";
import { jsonObject } from "../../domain/json";
import { namesTag, notModified, tagged, tagOfJson } from "../../edge/etag";
import { listQuery, requireOneStart } from "../../edge/paging";
import { router } from "../../edge/router";
import { json, jsonBody, noContent, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import type { GhostRequest } from "../../services/registry/ghost-content";
import {
  createGhost,
  deleteGhost,
  findGhost,
  readGhosts,
  replaceGhost,
  upsertGhost,
} from "../../services/registry/ghosts";
import type { GhostRow } from "../../storage/d1/ghosts";
import { ghostPredictionsRoute } from "./ghost-predictions";
import { ghostPreviewRoute } from "./ghost-preview";
import { ghostResource, ghostSchema } from "./ghost-resource";

const params = z.object({ id: z.string() });
const ghostName = z
  .string()
  .normalize("NFC")
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,99}$/u,
    "1-100 letters, digits, spaces, `.`, `_` or `-`, starting with a letter or digit",
  );
const namespace = z
  .string()
  .min(1)
  .max(64)
  .describe(
    "`default`: your own. `public`: for everybody, written by admins. A group name: written by its Maintainers and Owners.",
  );

/** A resource can be sent back as it was read: labels and status belong to the gateway and are ignored. */
const rest = {
  apiVersion: z.string().optional(),
  kind: z.literal("Ghost").optional(),
  spec: ghostSpecSchema,
  status: jsonObject.optional(),
};
const labels = z.record(z.string(), z.string()).optional();
const ghostBody = () =>
  z
    .strictObject({
      ...rest,
      metadata: z.strictObject({ name: ghostName, namespace: namespace.default(DEFAULT_NAMESPACE), labels }),
    })
    .openapi("GhostRequest");
/** Without a namespace the ghost stays in its own; it never moves. */
const replacedBody = () =>
  z
    .strictObject({ ...rest, metadata: z.strictObject({ name: ghostName, namespace: namespace.optional(), labels }) })
    .openapi("ReplacedGhostRequest");
const namedBody = () =>
  z
    .strictObject({
      ...rest,
      metadata: z.strictObject({ name: ghostName.optional(), namespace: namespace.optional(), labels }).optional(),
    })
    .openapi("NamedGhostRequest");

export const ghostRoutes = router();
// Before routes whose id matches any text.
ghostRoutes.route("/", ghostPreviewRoute);
ghostRoutes.route("/", ghostPredictionsRoute);

ghostRoutes.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Creates an agent (ghost).",
    request: { body: jsonBody(ghostBody) },
    responses: { 201: json("Created.", ghostSchema), ...refusals(400, 403, 404, 409, 415) },
  }),
  async (c) => c.json(ghostResource(await createGhost(c.get("context"), requested(c.req.valid("json")))), 201),
);

ghostRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists the agents (ghosts) that you can use.",
    middleware: requireOneStart,
    request: {
      query: listQuery.extend({
        namespace: z.string().optional(),
        name: z.string().optional(),
        q: z.string().max(100).optional().openapi({ description: "A part of the name; case is ignored." }),
      }),
    },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(ghostSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { ghosts: found, nextCursor } = await readGhosts(c.get("context"), c.req.valid("query"));
    return c.json({ items: found.map(ghostResource), next_cursor: nextCursor }, 200);
  },
);

ghostRoutes.openapi(
  createRoute({
    method: "put",
    path: "/by-name/{namespace}/{name}",
    summary: "Creates or replaces the agent (ghost) with this name.",
    request: { params: z.object({ namespace, name: ghostName }), body: jsonBody(namedBody) },
    responses: {
      200: json("Replaced.", ghostSchema),
      201: json("Created.", ghostSchema),
      ...refusals(400, 403, 404, 409, 415),
    },
  }),
  async (c) => {
    const path = c.req.valid("param");
    const { metadata, spec } = c.req.valid("json");
    for (const field of ["name", "namespace"] as const) {
      if (metadata?.[field] === undefined || metadata[field] === path[field]) continue;
      throw invalid([
        {
          code: "NAME_MISMATCH",
          message: "The value differs from the path. Make them equal.",
          path: `metadata.${field}`,
        },
      ]);
    }
    const { created, ghost } = await upsertGhost(c.get("context"), { ...path, spec });
    return created ? c.json(ghostResource(ghost), 201) : c.json(ghostResource(ghost), 200);
  },
);

ghostRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}",
    summary: "Returns an agent (ghost).",
    middleware: tagged,
    request: { params },
    responses: { 200: json("The agent (ghost).", ghostSchema), 304: notModified, ...refusals(404) },
  }),
  async (c) => c.json(ghostResource(await findGhost(c.get("context"), c.req.valid("param").id)), 200),
);

ghostRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}",
    summary: "Replaces an agent (ghost).",
    request: { params, body: jsonBody(replacedBody) },
    responses: { 200: json("Replaced.", ghostSchema), ...refusals(400, 403, 404, 409, 412, 415) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { metadata, spec } = c.req.valid("json");
    const tags = c.req.header("if-match");
    const isMeant = async (ghost: GhostRow) => namesTag(tags, await tagOfJson(ghostResource(ghost)));
    const request = { ...metadata, spec };
    const ghost = await replaceGhost(c.get("context"), id, request, tags === undefined ? null : isMeant);
    const answer = ghostResource(ghost);
    return c.json(answer, 200, { etag: await tagOfJson(answer) });
  },
);

ghostRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}",
    summary: "Deletes an agent (ghost).",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await deleteGhost(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

function requested({ metadata, spec }: z.infer<ReturnType<typeof ghostBody>>): GhostRequest {
  return { name: metadata.name, namespace: metadata.namespace, spec };
}
