// Routes for /api/v1/models: the models of the chat endpoint, each with its key as a secret.

import { createRoute } from "@hono/zod-openapi";
import { isModelName, modelEntrySchema } from "../domain/chat/model-entry";
import { decodeCursor, encodeCursor } from "../domain/cursor";
import { REQUEST_LIMITS } from "../domain/limits";
import { notModified, tagged } from "../edge/etag";
import { router } from "../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { oneModel, pageOfModels, removeModel, storeModel } from "../services/chat/models";
import type { ModelRow } from "../storage/d1/chat/models";
import {
  groupNamed,
  groupNamedMessage,
  ownerFields,
  ownerFromQuery,
  ownerInResponse,
  ownerQuery,
  wireOwner,
} from "./owner";

const params = z.object({
  name: z.string().refine(isModelName, "1-64 of A-Za-z0-9._/-, starting with a letter or digit, and not with `ghost/`"),
});

const modelRequest = () =>
  modelEntrySchema.unwrap().extend(ownerFields).refine(groupNamed, groupNamedMessage).openapi("ModelEntry");

const modelSchema = () =>
  modelEntrySchema
    .unwrap()
    .extend({ name: z.string(), ...ownerInResponse(), created_at: z.string(), updated_at: z.string() })
    .openapi("Model");

export const modelRoutes = router();

modelRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists models by name.",
    request: { query: pageQuery.extend(ownerFields).refine(groupNamed, groupNamedMessage) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(modelSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor, ...asked } = c.req.valid("query");
    const rows = await pageOfModels(
      c.get("context"),
      ownerFromQuery(asked),
      limit + 1,
      decodeCursor(cursor, z.string()),
    );
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? encodeCursor(page.at(-1)?.name) : null;
    return c.json({ items: page.map(wireModel), next_cursor: next }, 200);
  },
);

modelRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}",
    summary: "Returns a model.",
    middleware: tagged,
    request: { params, query: ownerQuery },
    responses: { 200: json("The model.", modelSchema), 304: notModified, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    return c.json(wireModel(await oneModel(c.get("context"), ownerFromQuery(c.req.valid("query")), name)), 200);
  },
);

modelRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Creates or replaces a model.",
    request: { params, body: jsonBody(modelRequest) },
    responses: {
      200: json("Replaced.", modelSchema),
      201: json("Created.", modelSchema),
      ...refusals(400, 403, 404, 409),
    },
  }),
  async (c) => {
    const { scope, group_name, ...entry } = c.req.valid("json");
    const { name } = c.req.valid("param");
    const { row, created } = await storeModel(c.get("context"), ownerFromQuery({ scope, group_name }), name, entry);
    return c.json(wireModel(row), created ? 201 : 200);
  },
);

modelRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes a model.",
    request: { params, query: ownerQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await removeModel(c.get("context"), ownerFromQuery(c.req.valid("query")), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

function wireModel({ scope, name, entry, createdAt, updatedAt }: ModelRow): z.infer<ReturnType<typeof modelSchema>> {
  return {
    name,
    ...wireOwner(scope),
    ...modelEntrySchema.parse(entry),
    created_at: instant(createdAt),
    updated_at: instant(updatedAt),
  };
}
