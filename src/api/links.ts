// /api/v1/links: URLs that read skills without a key, for clients that cannot send headers.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { COMPAT_LIMITS } from "../domain/compat/limits";
import type { HttpEnv } from "../edge/edge";
import { router } from "../edge/router";
import { groupName, instant, json, jsonBody, noContent, refusals, refuseIdempotencyKey } from "../edge/schemas";
import * as z from "../edge/zod";
import { createSharedLink, deleteLink, readLinks } from "../services/compat/links";
import type { SharedLinkRow } from "../storage/d1/compat/links";

const NOTICE =
  "Anyone with this address can read these skills without a key. Clients write it into lock files and configurations, so keep those as private as the skills.";

const linkRequest = () =>
  z
    .strictObject({
      name: z.string().min(1).max(200).optional(),
      group: groupName.optional().openapi({ description: "All skills of a group. Needs the role Maintainer." }),
      skills: z
        .array(z.string().min(1).max(64))
        .min(1)
        .max(COMPAT_LIMITS.linkedSkills)
        .optional()
        .openapi({ description: "Only these skills, by id. Without it and without `group`: all your own skills." }),
      expires_at: z.iso.datetime({ offset: true }).optional().openapi({ description: "Default: in 90 days." }),
    })
    .refine((link) => link.group === undefined || link.skills === undefined, {
      error: "`group` and `skills` exclude each other. Send one of them.",
      path: ["skills"],
    })
    .refine((link) => link.expires_at === undefined || isInReach(Date.parse(link.expires_at)), {
      error: "Expiry time out of range (limit 366 days from now). Choose an earlier time.",
      path: ["expires_at"],
    });

const isInReach = (time: number) => time > Date.now() && time <= Date.now() + COMPAT_LIMITS.linkMostMs;

const linkSchema = () =>
  z
    .object({
      id: z.string(),
      name: z.string().nullable(),
      reads: z.enum(["own", "group", "skills"]),
      group: z.string().optional(),
      skills: z.array(z.string()).optional(),
      created_at: z.string(),
      expires_at: z.string(),
      uses: z.int(),
      last_used_at: z.string().nullable(),
    })
    .openapi("Link");

const madeSchema = () => linkSchema().extend({ url: z.string(), notice: z.string() }).openapi("CreatedLink");

export const sharedLinkRoutes = router();

sharedLinkRoutes.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Creates a read-only link.",
    middleware: refuseIdempotencyKey,
    request: { body: jsonBody(linkRequest) },
    responses: { 201: json("The link.", madeSchema), ...refusals(400, 403, 404, 409, 415) },
  }),
  async (c) => {
    const { expires_at, ...request } = c.req.valid("json");
    const expiry = expires_at === undefined ? {} : { expiresAt: Date.parse(expires_at) };
    const { row, token } = await createSharedLink(c.get("context"), { ...request, ...expiry });
    return c.json({ ...shown(row), url: urlOf(c, token), notice: NOTICE }, 201, { "cache-control": "no-store" });
  },
);

sharedLinkRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists your valid links, newest first.",
    responses: { 200: json("All entries.", () => z.object({ items: z.array(linkSchema()) })), ...refusals(403) },
  }),
  async (c) => c.json({ items: (await readLinks(c.get("context"))).map(shown) }, 200),
);

sharedLinkRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}",
    summary: "Deletes a link.",
    request: { params: z.object({ id: z.string() }) },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await deleteLink(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);

function urlOf(c: HonoContext<HttpEnv>, token: string): string {
  return `${new URL(c.req.url).origin}/t/${token}`;
}

function shown({ id, name, reads, skills, createdAt, expiresAt, uses, lastUsedAt }: SharedLinkRow) {
  const group = reads.startsWith("group:") ? reads.slice("group:".length) : null;
  return {
    id,
    name,
    reads: group !== null ? ("group" as const) : reads === "own" ? ("own" as const) : ("skills" as const),
    ...(group === null ? {} : { group }),
    ...(reads === "skills" ? { skills } : {}),
    created_at: instant(createdAt),
    expires_at: instant(expiresAt),
    uses,
    last_used_at: lastUsedAt === null ? null : instant(lastUsedAt),
  };
}
