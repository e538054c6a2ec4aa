// Routes for drafts: push, list, promote and delete your own, and list those that others share with you.

import { createRoute } from "@hono/zod-openapi";
import { DEFAULT_NAMESPACE, draftScope, groupOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { draftReference } from "../../domain/catalog/draft";
import { REQUEST_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { instant, issueSchema, json, noContent, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { deleteDraft, readDrafts } from "../../services/registry/drafts";
import type { DraftSummary } from "../../storage/d1/registry/drafts";
import { routingSchema, skillSchema, verdictsSchema } from "./resources";
import { formBody, publishedResource, uploadFile, withMissing } from "./uploads";

const draftSchema = () =>
  z
    .object({
      reference: z
        .string()
        .openapi({ description: "The reference for `additional_skills` or your own agents (ghosts)." }),
      name: z.string(),
      author: z.string(),
      namespace: z.string(),
      is_public: z.boolean(),
      version: z.string().nullable(),
      version_id: z.string(),
      description: z.string(),
      tokens: z.int(),
      size: z.int(),
      users: z
        .array(z.string())
        .nullable()
        .openapi({ description: "The users who can try it. `null` for drafts of other authors." }),
      pushed_at: z.string(),
      expires_at: z.string(),
      warnings: z.array(issueSchema()),
    })
    .openapi("Draft");
const pushedSchema = () =>
  draftSchema()
    .extend({ scripts: verdictsSchema().optional(), routing: routingSchema().optional() })
    .openapi("PushedDraft");
const listSchema = () => z.object({ items: z.array(draftSchema()) }).openapi("Drafts");

const newDraft = () =>
  z.strictObject({
    file: uploadFile(),
    namespace: z.string().min(1).max(64).default(DEFAULT_NAMESPACE),
    public: z
      .enum(["true", "false"])
      .default("false")
      .openapi({ description: "True if it will be published to everybody. Admins only." }),
    users: z.string().max(4_096).default("").openapi({ description: "Comma-separated ids of users who can try it." }),
  });

const params = z.object({ name: z.string().min(1).max(200) });

/** The module that reads and stores packages. Loaded lazily, because few requests need it. */
let pushing: typeof import("../../services/registry/draft-push") | null = null;

export const draftRoutes = router();

draftRoutes.openapi(
  createRoute({
    method: "get",
    path: "/drafts",
    summary: "Lists your drafts and drafts shared with you.",
    responses: { 200: json("Drafts.", listSchema), ...refusals() },
  }),
  async (c) => {
    const context = c.get("context");
    const { own, others } = await readDrafts(context);
    const { userId } = context.caller.principal;
    return c.json({ items: [...own, ...others].map((draft) => draftResource(draft, userId)) }, 200);
  },
);

draftRoutes.openapi(
  createRoute({
    method: "put",
    path: "/drafts/{name}",
    summary: "Creates or replaces a draft.",
    request: { params, body: formBody(newDraft) },
    responses: {
      200: json("Replaced.", pushedSchema),
      201: json("Created.", pushedSchema),
      ...refusals(400, 403, 404, 409, 413, 415, 422),
    },
  }),
  async (c) => {
    const context = c.get("context");
    const form = c.req.valid("form");
    pushing ??= await import("../../services/registry/draft-push");
    const { draft, isNew, scripts, routing } = await pushing.pushDraft(context, {
      name: c.req.valid("param").name,
      upload: new Uint8Array(await form.file.arrayBuffer()),
      fileName: form.file.name,
      namespace: form.namespace,
      isPublic: form.public === "true",
      users: form.users.split(",").flatMap((user) => user.trim() || []),
    });
    const scope = form.public === "true" ? PUBLIC_SCOPE : draftScope(context.caller.principal.userId);
    const reply = {
      ...draftResource(draft, context.caller.principal.userId),
      ...(scripts === null || scripts.length === 0
        ? {}
        : { scripts: (await withMissing(context, scope, scripts)) ?? [] }),
      ...(routing === null ? {} : { routing }),
    };
    return c.json(reply, isNew ? 201 : 200);
  },
);

draftRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/drafts/{name}",
    summary: "Deletes a draft.",
    request: { params },
    responses: { 204: noContent, ...refusals(404) },
  }),
  async (c) => {
    await deleteDraft(c.get("context"), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

draftRoutes.openapi(
  createRoute({
    method: "post",
    path: "/drafts/{name}/promote",
    summary: "Publishes a draft.",
    request: {
      params,
      headers: z.object({
        "idempotency-key": z.string().min(1).max(REQUEST_LIMITS.idempotencyKeyChars).optional(),
      }),
    },
    responses: {
      200: json("A version with this content already exists. Nothing changed.", skillSchema),
      201: json("Published.", skillSchema),
      ...refusals(400, 403, 404, 409, 413, 422),
    },
  }),
  async (c) => {
    const repeat = c.req.header("idempotency-key") ?? null;
    pushing ??= await import("../../services/registry/draft-push");
    const done = await pushing.promoteDraft(c.get("context"), c.req.valid("param").name, repeat);
    return c.json(await publishedResource(c.get("context"), done), done.status);
  },
);

function draftResource(draft: DraftSummary, userId: string): z.infer<ReturnType<typeof draftSchema>> {
  const { author, name, target, versionId, version, description, tokens, size, warnings } = draft;
  return {
    reference: draftReference({ author, name }, userId),
    name,
    author,
    namespace: groupOfScope(target) ?? DEFAULT_NAMESPACE,
    is_public: target === PUBLIC_SCOPE,
    version,
    version_id: versionId,
    description,
    tokens,
    size,
    users: author === userId ? draft.users : null,
    pushed_at: instant(draft.pushedAt),
    expires_at: instant(draft.expiresAt),
    warnings,
  };
}
