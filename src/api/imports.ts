// Routes for /api/v1/imports: background imports, once or daily.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { DEFAULT_NAMESPACE, groupOfScope, PUBLIC_SCOPE } from "../domain/access/access";
import { IMPORT_STATES, ITEM_STATES } from "../domain/imports/import";
import { SECRET_NAME } from "../domain/servers/template";
import { settingsFrom } from "../domain/settings/settings";
import { publicOrigin } from "../domain/sign-in/resource";
import { importObjects } from "../edge/context";
import type { HttpEnv } from "../edge/edge";
import { router } from "../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { endImport, readImports, readReport, removeImport, startImport } from "../services/imports/imports";
import type { ImportRow } from "../storage/d1/imports/imports";
import type { ImportItem } from "../storage/d1/imports/items";

const SCOPE = /^(?:public|own|group\/[A-Za-z0-9][A-Za-z0-9._-]{0,63})$/;
const FOLDER = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\\\p{Cc}]+$/u;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

const sourceSchema = () =>
  z
    .strictObject({
      type: z.enum(["index", "archive", "gateway"]).openapi({
        description:
          "`index`: a site with a well-known index. `archive`: a tar.gz or ZIP of a Git host. `gateway`: another gateway.",
      }),
      url: z.string().min(1).max(4_096),
      path: z.string().max(1_024).regex(FOLDER, "is not a folder inside the archive").optional().openapi({
        description: "Type `archive`: only skills in this folder.",
      }),
      scope: z.string().regex(SCOPE, "`public`, `own` or `group/<name>`").optional().openapi({
        description: "Type `gateway`: the scope path. Default: `public`.",
      }),
      secret: z.string().regex(SECRET_NAME, "is not a name of a secret").optional().openapi({
        description: "A secret of the target namespace, bound to the host of the source. It is sent as a bearer token.",
      }),
      secret_header: z.string().regex(HEADER, "is not a header name").optional().openapi({
        description: "The header that carries the secret unchanged, instead of a bearer token.",
      }),
    })
    .refine(({ type, path }) => path === undefined || type === "archive", {
      error: "`path` is only allowed for the type `archive`. Remove it.",
      path: ["path"],
    })
    .refine(({ type, scope }) => scope === undefined || type === "gateway", {
      error: "`scope` is only allowed for the type `gateway`. Remove it.",
      path: ["scope"],
    })
    .refine(({ secret, secret_header }) => secret_header === undefined || secret !== undefined, {
      error: "`secret_header` needs `secret`. Name the secret that the header carries.",
      path: ["secret_header"],
    })
    .openapi("ImportSource");

const importRequest = () =>
  z.strictObject({
    source: sourceSchema(),
    namespace: z.string().min(1).max(64).default(DEFAULT_NAMESPACE).openapi({
      description: "`default`: your own. A group name: needs the role Maintainer. `public`: needs an admin.",
    }),
    mirror: z
      .boolean()
      .optional()
      .openapi({ description: "If true, the source is read again every day. Admins only." }),
  });

const problem = () => z.object({ code: z.string(), message: z.string() }).nullable();
const count = z.int();

const importSchema = () =>
  z
    .object({
      id: z.string(),
      source: sourceSchema(),
      namespace: z.string(),
      mirror: z.boolean(),
      state: z.enum(IMPORT_STATES),
      problem: problem(),
      run: count,
      cursor: z.string().nullable(),
      total: count.nullable(),
      created_at: z.string(),
      started_at: z.string(),
      updated_at: z.string(),
      next_at: z.string().nullable(),
    })
    .openapi("Import");

const itemSchema = () =>
  z
    .object({
      name: z.string(),
      state: z.enum(ITEM_STATES),
      problem: problem(),
      run: count,
      skill_id: z.string().nullable(),
      version_id: z.string().nullable(),
      digest: z.string().nullable(),
      removed_at: z.string().nullable(),
    })
    .openapi("ImportItem");

const reportSchema = () =>
  importSchema()
    .extend({
      counts: z.object({
        ...{ created: count, updated: count, unchanged: count, refused: count, failed: count },
        removed: count,
      }),
      items: z.array(itemSchema()),
      next_cursor: z.string().nullable(),
    })
    .openapi("ImportReport");

const params = z.object({ id: z.string() });
const reportQuery = pageQuery.extend({ state: z.enum([...ITEM_STATES, "removed"]).optional() });

export const importRoutes = router();

importRoutes.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Starts an import of skills.",
    request: { body: jsonBody(importRequest) },
    responses: { 202: json("The started import.", importSchema), ...refusals(400, 403, 404, 409, 415) },
  }),
  async (c) => {
    const { source, ...request } = c.req.valid("json");
    const { secret_header: header, ...named } = source;
    const asked = { ...request, source: { ...named, ...(header === undefined ? {} : { header }) } };
    const row = await startImport(c.get("context"), asked, ownOrigins(c), importObjects(c.env));
    return c.json(shownImport(row), 202);
  },
);

importRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists imports, newest first in each scope.",
    responses: { 200: json("All entries.", () => z.object({ items: z.array(importSchema()) })), ...refusals(403) },
  }),
  async (c) => c.json({ items: (await readImports(c.get("context"))).map(shownImport) }, 200),
);

importRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}",
    summary: "Returns an import and the state of each skill.",
    request: { params, query: reportQuery },
    responses: { 200: json("The import with a page of its skills.", reportSchema), ...refusals(400, 403, 404) },
  }),
  async (c) => {
    const page = c.req.valid("query");
    const { row, counts, items, nextCursor } = await readReport(
      c.get("context"),
      c.req.valid("param").id,
      page,
      importObjects(c.env),
    );
    const allCounts = { created: 0, updated: 0, unchanged: 0, refused: 0, failed: 0, ...counts };
    return c.json(
      { ...shownImport(row), counts: allCounts, items: items.map(shownItem), next_cursor: nextCursor },
      200,
    );
  },
);

importRoutes.openapi(
  createRoute({
    method: "post",
    path: "/{id}/cancel",
    summary: "Cancels a running import or a mirror.",
    request: { params },
    responses: { 200: json("The import.", importSchema), ...refusals(403, 404, 409) },
  }),
  async (c) => {
    const row = await endImport(c.get("context"), c.req.valid("param").id, importObjects(c.env));
    return c.json(shownImport(row), 200);
  },
);

importRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}",
    summary: "Deletes an import. Imported skills are kept.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await removeImport(c.get("context"), c.req.valid("param").id, importObjects(c.env));
    return c.body(null, 204);
  },
);

function ownOrigins(c: HonoContext<HttpEnv>): string[] {
  return [new URL(c.req.url).origin, publicOrigin(settingsFrom(c.env), c.req.url)];
}

function shownImport({ id, source, scope, isMirror, state, problem, run, cursor, total, ...row }: ImportRow) {
  const { header, ...named } = source;
  const namespace = scope === PUBLIC_SCOPE ? PUBLIC_SCOPE : (groupOfScope(scope) ?? DEFAULT_NAMESPACE);
  return {
    ...{ id, namespace, mirror: isMirror, state, problem, run, cursor, total },
    source: { ...named, ...(header === undefined ? {} : { secret_header: header }) },
    created_at: instant(row.createdAt),
    started_at: instant(row.startedAt),
    updated_at: instant(row.updatedAt),
    next_at: row.nextAt === null || state === "running" ? null : instant(row.nextAt),
  };
}

function shownItem({ name, state, problem, run, skillId, versionId, digest, removedAt }: ImportItem) {
  return {
    ...{ name, state, problem, run, skill_id: skillId, version_id: versionId, digest },
    removed_at: removedAt === null ? null : instant(removedAt),
  };
}
