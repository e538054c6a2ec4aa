// Routes for publishing: a new skill, a public one, a new version, and validation without storing.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { DEFAULT_NAMESPACE, PUBLIC_SCOPE, PUBLIC_USER } from "../../domain/access/access";
import type { ClaimedSource } from "../../domain/catalog/source";
import type { ScriptVerdict } from "../../domain/code/check/verdict";
import { REQUEST_LIMITS } from "../../domain/limits";
import type { Manifest } from "../../domain/package/skill";
import type { HttpEnv } from "../../edge/edge";
import { router } from "../../edge/router";
import { groupName, instant, issueSchema, json, jsonBody, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import type { Context } from "../../services/context";
import type { PublishTarget } from "../../services/registry/draft-version";
import type { Published } from "../../services/registry/publish";
import { findPublicSkillFor, findSkillFor, publishScope, requireRight } from "../../services/registry/skills";
import { describeLater } from "../../services/tools/describe-later";
import { routingSchema, skillResource, skillSchema, tokensSchema, verdictsSchema } from "./resources";
import { sourceField } from "./source";

/** The form part with the package. */
export const uploadFile = () =>
  z
    .instanceof(File, { error: "The ZIP is missing. Send it as the form part `file`." })
    .openapi({ type: "string", format: "binary" });
const name = () => z.string().min(1).max(200).optional();
const namespace = () => z.string().min(1).max(64).default(DEFAULT_NAMESPACE);

const activate = () =>
  z.enum(["true", "false"]).default("true").openapi({
    description:
      "`false` does not make the version current, for example to roll it out. A skill without a current version always gets one.",
  });

const newSkill = () =>
  z.strictObject({
    ...{ file: uploadFile(), name: name(), namespace: namespace() },
    ...{ source: sourceField(), activate: activate() },
  });
const newPublicSkill = () =>
  z.strictObject({
    file: uploadFile(),
    name: name(),
    namespace: z.literal(DEFAULT_NAMESPACE).optional(),
    ...{ source: sourceField(), activate: activate() },
  });
const newVersion = () => z.strictObject({ file: uploadFile(), source: sourceField(), activate: activate() });
const anyPackage = () => z.strictObject({ file: uploadFile(), name: name() });

const inspectionSchema = () =>
  z
    .object({
      valid: z.boolean(),
      name: z.string().nullable(),
      issues: z.array(issueSchema()),
      warnings: z.array(issueSchema()),
      manifest: z
        .custom<Manifest>()
        .nullable()
        .openapi({ type: ["object", "null"], additionalProperties: true }),
      files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
      tokens: tokensSchema().nullable(),
      /** `null`: the package has no example prompts. */
      routing: routingSchema().nullable(),
      /** `null`: not analysed, for example because the package's code would not run. */
      scripts: verdictsSchema().nullable(),
    })
    .openapi("Inspection");

const headers = z.object({
  "idempotency-key": z.string().min(1).max(REQUEST_LIMITS.idempotencyKeyChars).optional(),
});

const answers = {
  200: json("A version with this content already exists. Nothing changed.", skillSchema),
  201: json("Published.", skillSchema),
};

/** The module that analyses and stores packages. Loaded lazily, because few requests need it. */
let publishing: typeof import("../../services/registry/publish") | null = null;
let assessing: typeof import("../../services/registry/publish-report") | null = null;
let sharing: typeof import("../../services/registry/share") | null = null;
let offers: typeof import("../../services/tools/executor-offer") | null = null;

/** Returns the form, which is required. */
export function formBody<T extends z.ZodType>(schema: () => T) {
  return { required: true, content: { "multipart/form-data": { schema: z.lazy(schema) } } } as const;
}

export const uploads = router();

uploads.openapi(
  createRoute({
    method: "post",
    path: "/upload",
    summary: "Publishes a skill to your own namespace or a group.",
    request: { headers, body: formBody(newSkill) },
    responses: { ...answers, ...refusals(400, 403, 404, 409, 413, 415, 422) },
  }),
  async (c) => {
    const { principal } = c.get("context").caller;
    const form = c.req.valid("form");
    const scope = publishScope(principal, form.namespace);
    const target = { scope, namespace: form.namespace, userId: principal.userId };
    const done = await published(c, form, target);
    return c.json(await publishedResource(c.get("context"), done), done.status);
  },
);

// The second path of each is Wegent's, whose admin page also sends market categories; they are ignored.
for (const [path, body] of [
  ["/public", newPublicSkill],
  ["/public/upload", () => newPublicSkill().extend({ marketplace_tags: z.string().max(4_096).optional() })],
] as const) {
  uploads.openapi(
    createRoute({
      method: "post",
      path,
      summary: "Publishes a public skill.",
      request: { headers, body: formBody(body) },
      responses: { ...answers, ...refusals(400, 403, 409, 413, 415, 422) },
    }),
    async (c) => {
      requireRight(c.get("context").caller.principal, "publish", PUBLIC_SCOPE);
      const target = { scope: PUBLIC_SCOPE, namespace: DEFAULT_NAMESPACE, userId: PUBLIC_USER };
      const done = await published(c, c.req.valid("form"), target);
      return c.json(await publishedResource(c.get("context"), done), done.status);
    },
  );
}

for (const [path, find] of [
  ["/{id}", findSkillFor],
  ["/public/{id}/upload", findPublicSkillFor],
] as const) {
  uploads.openapi(
    createRoute({
      method: "put",
      path,
      summary: "Publishes a new version of a skill.",
      request: { headers, params: z.object({ id: z.string() }), body: formBody(newVersion) },
      responses: {
        200: json("Published, or the content already existed.", skillSchema),
        ...refusals(400, 403, 404, 409, 413, 415, 422),
      },
    }),
    async (c) => {
      const { id, name: known, scope } = await find(c.get("context"), "change", c.req.valid("param").id);
      const done = await published(c, c.req.valid("form"), { scope, id, name: known });
      return c.json(await publishedResource(c.get("context"), done), 200);
    },
  );
}

uploads.openapi(
  createRoute({
    method: "post",
    path: "/{id}/share",
    summary: "Shares a skill with a group.",
    request: {
      headers,
      params: z.object({ id: z.string() }),
      body: jsonBody(() => z.strictObject({ group_name: groupName })),
    },
    responses: { ...answers, ...refusals(400, 403, 404, 409, 413, 415, 422) },
  }),
  async (c) => {
    const { group_name } = c.req.valid("json");
    const repeat = c.req.header("idempotency-key") ?? null;
    sharing ??= await import("../../services/registry/share");
    const done = await sharing.shareSkill(c.get("context"), c.req.valid("param").id, group_name, repeat);
    return c.json(await publishedResource(c.get("context"), done), done.status);
  },
);

uploads.openapi(
  createRoute({
    method: "post",
    path: "/validate",
    summary: "Validates a package without publishing it.",
    request: { body: formBody(anyPackage) },
    responses: { 200: json("The validation report.", inspectionSchema), ...refusals(400, 413, 415) },
  }),
  async (c) => {
    const form = c.req.valid("form");
    const naming = { fileName: form.file.name, ...(form.name === undefined ? {} : { name: form.name }) };
    const upload = new Uint8Array(await form.file.arrayBuffer());
    assessing ??= await import("../../services/registry/publish-report");
    const assessment = await assessing.assessUpload(c.get("context"), upload, naming);
    const { package: found, tokens, routing, issues, warnings, scripts } = assessment;
    const answer = {
      valid: found !== null,
      name: found?.name ?? null,
      issues,
      warnings,
      manifest: found?.manifest ?? null,
      files: (found?.files ?? []).map(({ path, size, sha256 }) => ({ path, size, sha256 })),
      tokens,
      routing,
      scripts: await withMissing(c.get("context"), PUBLIC_SCOPE, scripts),
    };
    return c.json(answer, 200);
  },
);

/** Adds to the verdicts on the scripts of a skill in a scope what the executor lacks, if there is one. */
export async function withMissing(
  context: Context,
  scope: string,
  scripts: readonly ScriptVerdict[] | null,
): Promise<(ScriptVerdict & { missing?: string[] })[] | null> {
  if (scripts === null || context.settings.EXECUTOR_URL === undefined) return scripts === null ? null : [...scripts];
  offers ??= await import("../../services/tools/executor-offer");
  return offers.compared(context, scope, scripts);
}

async function published(
  c: HonoContext<HttpEnv>,
  form: { file: File; name?: string | undefined; source?: ClaimedSource | undefined; activate: "true" | "false" },
  target: PublishTarget,
): Promise<Published> {
  publishing ??= await import("../../services/registry/publish");
  const context = c.get("context");
  return publishing.publish(context, {
    upload: new Uint8Array(await form.file.arrayBuffer()),
    fileName: form.file.name,
    name: form.name,
    target,
    idempotencyKey: c.req.header("idempotency-key") ?? null,
    keepsCurrent: form.activate === "false",
    source: form.source === undefined ? null : { ...form.source, taken_at: instant(context.now()) },
  });
}

/**
 * Returns the resource of the new version, with what the executor lacks for its scripts, and with the routing report if the package has
 * example prompts.
 */
export async function publishedResource(context: Context, { status, skill, routing }: Published) {
  if (status === 201) describeLater(context, skill);
  const resource = skillResource({ ...skill, scripts: await withMissing(context, skill.scope, skill.scripts) });
  return routing === null ? resource : { ...resource, status: { ...resource.status, routing } };
}
