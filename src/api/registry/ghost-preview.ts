// POST /api/v1/kinds/ghosts/preview: shows the result of a ghost before it is saved.

import { createRoute } from "@hono/zod-openapi";
import { DEFAULT_NAMESPACE, kindOfScope, namespaceOfScope } from "../../domain/access/access";
import { ghostSpecSchema, specWarnings } from "../../domain/catalog/ghost";
import { parseReference } from "../../domain/reference";
import { router } from "../../edge/router";
import { issueSchema, json, jsonBody, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { previewGhost } from "../../services/conversation/preview/ghost";
import { serverPermissionSchema } from "./permissions";

const body = () =>
  z
    .strictObject({
      spec: ghostSpecSchema,
      namespace: z
        .string()
        .min(1)
        .max(64)
        .default(DEFAULT_NAMESPACE)
        .describe("The namespace of the agent (ghost), as in `metadata`."),
      shell: z.string().min(1).max(64).optional(),
    })
    .openapi("GhostPreviewRequest");

const previewSchema = () =>
  z
    .object({
      valid: z.boolean(),
      issues: z.array(issueSchema()),
      warnings: z.array(issueSchema()),
      prompt: z.string(),
      tokens: z.object({
        system_prompt: z.int(),
        list: z.int(),
        preloaded: z.int(),
        prompt: z.int(),
        static: z.int(),
      }),
      skills: z.array(
        z.object({
          name: z.string(),
          skill_id: z.string(),
          version_id: z.string(),
          version: z.string().nullable(),
          scope: z.enum(["user", "group", "public"]),
          namespace: z.string(),
          tokens: z.int(),
          preloaded: z.boolean(),
          user_only: z.boolean(),
          needs: z.array(z.string()),
          tools: z.array(z.string()),
          servers: z.array(z.string()),
        }),
      ),
      more: z.int(),
      servers: z.array(serverPermissionSchema()),
      collisions: z.array(z.object({ kind: z.enum(["tool", "server"]), name: z.string(), of: z.array(z.string()) })),
    })
    .openapi("GhostPreview");

export const ghostPreviewRoute = router();

ghostPreviewRoute.openapi(
  createRoute({
    method: "post",
    path: "/preview",
    summary: "Previews an agent (ghost) without storing it.",
    request: { body: jsonBody(body) },
    responses: { 200: json("The preview.", previewSchema), ...refusals(400, 403, 404, 415) },
  }),
  async (c) => {
    const { spec, namespace, shell } = c.req.valid("json");
    const request = { name: "preview", namespace, spec };
    const { issues, warnings, tokens, skills, ...found } = await previewGhost(c.get("context"), request, shell);
    const { systemPrompt, ...counts } = tokens;
    const shown = skills.map(({ entry, isPreloaded, tools, servers }) => ({
      name: entry.name,
      skill_id: entry.skill_id,
      version_id: entry.version_id,
      version: entry.version,
      scope: kindOfScope(entry.scope),
      namespace: namespaceOfScope(entry.scope),
      tokens: entry.tokens,
      preloaded: isPreloaded,
      user_only: entry.user_only,
      needs: [...new Set(entry.needs.flatMap((text) => parseReference(text)?.name ?? []))],
      tools,
      servers,
    }));
    const preview = { valid: issues.length === 0, issues, warnings: [...specWarnings(spec), ...warnings] };
    return c.json({ ...preview, ...found, tokens: { system_prompt: systemPrompt, ...counts }, skills: shown }, 200);
  },
);
