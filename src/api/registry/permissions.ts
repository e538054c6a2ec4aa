// Routes for the permissions of a version, and the difference between two versions.

import { createRoute } from "@hono/zod-openapi";
import { RUNS } from "../../domain/code/check/verdict";
import { LANGUAGES } from "../../domain/code/language";
import { notModified, tagged } from "../../edge/etag";
import { router } from "../../edge/router";
import { json, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { type NamedVersion, readVersionPermissions } from "../../services/registry/permissions";

const texts = () => z.array(z.string());

/** A server as a permission: its URL, and what is sent there. */
export const serverPermissionSchema = () =>
  z
    .object({
      name: z.string(),
      host: z.string().nullable(),
      problem: z.string().nullable(),
      command: z.string().nullable(),
      secrets: texts(),
      variables: texts(),
      allow: texts().nullable(),
      deny: texts(),
    })
    .openapi("ServerPermissions");

const permissionsSchema = () =>
  z
    .object({
      runs_code: z.boolean(),
      asks_pages: z.boolean(),
      model_invocation: z.boolean(),
      preload: z.boolean(),
      tools: texts(),
      allowed_tools: texts(),
      scripts: z.array(
        z.object({ path: z.string(), language: z.enum(LANGUAGES).nullable(), runs: z.enum(RUNS).nullable() }),
      ),
      servers: z.array(serverPermissionSchema()),
      network: texts(),
      env: texts(),
      hosts: texts(),
      secrets: texts(),
      variables: texts(),
      commands: texts(),
      dependencies: texts(),
    })
    .openapi("SkillPermissions", { description: "What a version of a skill can do when it is loaded." });

/** Permissions that only one of two versions has. */
export const changedPermissions = () =>
  z.array(z.object({ permission: z.string(), value: z.string() }).openapi("SkillPermission"));

export const permissionRoutes = router();

permissionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/versions/{version_id}/permissions",
    summary: "Returns the permissions of a version.",
    middleware: tagged,
    request: {
      params: z.object({ id: z.string(), version_id: z.string() }),
      query: z.object({ base: z.string().max(200).optional() }),
    },
    responses: {
      200: json("The permissions.", () =>
        z.object({
          version_id: z.string(),
          version: z.string().nullable(),
          permissions: permissionsSchema(),
          changes: z
            .object({
              version_id: z.string(),
              version: z.string().nullable(),
              added: changedPermissions(),
              removed: changedPermissions(),
            })
            .nullable(),
        }),
      ),
      304: notModified,
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { id, version_id } = c.req.valid("param");
    const found = await readVersionPermissions(c.get("context"), id, version_id, c.req.valid("query").base);
    const { changes, permissions } = found;
    const changeReply =
      changes === null ? null : { ...named(changes.base), added: changes.added, removed: changes.removed };
    return c.json({ ...named(found.version), permissions, changes: changeReply }, 200);
  },
);

function named({ versionId, label }: NamedVersion) {
  return { version_id: versionId, version: label };
}
