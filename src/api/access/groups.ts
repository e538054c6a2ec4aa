// Routes for /api/v1/groups: groups and their members.

import { createRoute } from "@hono/zod-openapi";
import { GROUP_ROLES } from "../../domain/access/access";
import { REQUEST_LIMITS } from "../../domain/limits";
import { REVIEW_POLICIES } from "../../domain/settings/settings";
import { notModified, tagged } from "../../edge/etag";
import { flag } from "../../edge/paging";
import { router } from "../../edge/router";
import {
  groupName,
  instant,
  json,
  jsonBody,
  nameableUser,
  noContent,
  pageQuery,
  refusals,
  userId,
} from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  changeGroup,
  createGroup,
  deleteGroup,
  findGroup,
  readGroups,
  type SeenGroup,
} from "../../services/access/groups";
import { readMembers, removeMember, setMember } from "../../services/access/members";
import { readGroupUse } from "../../services/quota";
import type { MemberRow } from "../../storage/d1/groups";
import { scopeSharesSchema } from "./shares";

const displayName = z.string().min(1).max(200);
const role = z.enum(GROUP_ROLES);
const params = z.object({ name: z.string() });
const memberParams = params.extend({ user_id: userId });
const newMemberParams = params.extend({ user_id: nameableUser });

const groupSchema = () =>
  z
    .object({
      name: z.string(),
      display_name: z.string().nullable(),
      review: z
        .enum(REVIEW_POLICIES)
        .nullable()
        .openapi({ description: "Whether its skills are reviewed; `null`: as `REVIEW_GROUPS` says." }),
      role: role.nullable().openapi({ description: "The caller's role, or `null` for an admin who is not a member." }),
      created_by: z.string(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .openapi("Group");

const seenGroupSchema = () => groupSchema().extend({ quotas: scopeSharesSchema() }).openapi("GroupInFull");

const memberSchema = () =>
  z.object({ user_id: z.string(), role, created_by: z.string(), created_at: z.string() }).openapi("Member");

export const groupRoutes = router();

groupRoutes.openapi(
  createRoute({
    method: "post",
    path: "/",
    summary: "Creates a group. The caller becomes its Owner.",
    request: { body: jsonBody(() => z.strictObject({ name: groupName, display_name: displayName.optional() })) },
    responses: { 201: json("Created.", groupSchema), ...refusals(400, 403, 409, 415) },
  }),
  async (c) => {
    const { name, display_name } = c.req.valid("json");
    return c.json(wireGroup(await createGroup(c.get("context"), name, display_name ?? null)), 201);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "get",
    path: "/",
    summary: "Lists your groups by name.",
    request: { query: pageQuery.extend({ all: flag }) },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(groupSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { all, limit, cursor } = c.req.valid("query");
    const page = await readGroups(c.get("context"), all, limit ?? REQUEST_LIMITS.listLimit, cursor);
    return c.json({ items: page.groups.map(wireGroup), next_cursor: page.nextCursor }, 200);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}",
    summary: "Returns a group and its quota usage.",
    middleware: tagged,
    request: { params },
    responses: { 200: json("The group.", seenGroupSchema), 304: notModified, ...refusals(404) },
  }),
  async (c) => {
    const context = c.get("context");
    const group = await findGroup(context, c.req.valid("param").name);
    return c.json({ ...wireGroup(group), quotas: await readGroupUse(context, group.name) }, 200);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}",
    summary: "Changes a group: its display name, and whether its skills are reviewed.",
    request: {
      params,
      body: jsonBody(() =>
        z.strictObject({ display_name: displayName.nullable(), review: z.enum(REVIEW_POLICIES).nullable().optional() }),
      ),
    },
    responses: { 200: json("Renamed.", groupSchema), ...refusals(400, 403, 404, 415) },
  }),
  async (c) => {
    const { display_name: displayName, review } = c.req.valid("json");
    const changes = review === undefined ? { displayName } : { displayName, review };
    return c.json(wireGroup(await changeGroup(c.get("context"), c.req.valid("param").name, changes)), 200);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}",
    summary: "Deletes a group.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404, 409) },
  }),
  async (c) => {
    await deleteGroup(c.get("context"), c.req.valid("param").name);
    return c.body(null, 204);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{name}/members",
    summary: "Lists the members of a group by user id.",
    request: { params, query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(memberSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { name } = c.req.valid("param");
    const page = await readMembers(c.get("context"), name, limit ?? REQUEST_LIMITS.listLimit, cursor);
    return c.json({ items: page.members.map(wireMember), next_cursor: page.nextCursor }, 200);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{name}/members/{user_id}",
    summary: "Adds a member or changes a member's role.",
    request: { params: newMemberParams, body: jsonBody(() => z.strictObject({ role })) },
    responses: {
      200: json("Changed.", memberSchema),
      201: json("Added.", memberSchema),
      ...refusals(400, 403, 404, 409, 415),
    },
  }),
  async (c) => {
    const { name, user_id } = c.req.valid("param");
    const { before, member } = await setMember(c.get("context"), name, user_id, c.req.valid("json").role);
    return before === null ? c.json(wireMember(member), 201) : c.json(wireMember(member), 200);
  },
);

groupRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{name}/members/{user_id}",
    summary: "Removes a member from a group.",
    request: { params: memberParams },
    responses: { 204: noContent, ...refusals(403, 404, 409) },
  }),
  async (c) => {
    const { name, user_id } = c.req.valid("param");
    await removeMember(c.get("context"), name, user_id);
    return c.body(null, 204);
  },
);

function wireGroup(group: SeenGroup): z.infer<ReturnType<typeof groupSchema>> {
  return {
    name: group.name,
    display_name: group.displayName,
    review: group.review,
    role: group.role,
    created_by: group.createdBy,
    created_at: instant(group.createdAt),
    updated_at: instant(group.updatedAt),
  };
}

function wireMember(member: MemberRow): z.infer<ReturnType<typeof memberSchema>> {
  return {
    user_id: member.userId,
    role: member.role,
    created_by: member.createdBy,
    created_at: instant(member.createdAt),
  };
}
