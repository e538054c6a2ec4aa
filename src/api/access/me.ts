// Routes for /api/v1/me: the caller, and the use of quotas.

import { createRoute } from "@hono/zod-openapi";
import { GROUP_ROLES } from "../../domain/access/access";
import { KEY_SCOPES } from "../../domain/access/key-scope";
import { rightsOf } from "../../domain/access/rights";
import { router } from "../../edge/router";
import { json, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { areGroupsOpen } from "../../services/access/groups";
import { readOwnUse } from "../../services/quota";
import { scopeSharesSchema, shareSchema } from "./shares";

const yes = z.boolean();

const rightsSchema = () =>
  z
    .object({
      scopes: z.array(z.enum(KEY_SCOPES)),
      act_as: yes,
      operate: yes,
      make_groups: yes,
      namespaces: z.array(
        z
          .object({
            namespace: z.string(),
            role: z.enum(GROUP_ROLES).nullable(),
            ...{ read: yes, publish: yes, change: yes, activate: yes, delete: yes, measure: yes, define: yes },
            ...{ secrets: yes, manage: yes },
            members: z.array(z.enum(GROUP_ROLES)),
          })
          .openapi("NamespaceRights"),
      ),
    })
    .openapi("Rights", { description: "What this key can do for this user, from the role and the scopes of the key." });

const meSchema = () =>
  z
    .object({
      user_id: z.string(),
      role: z.enum(["user", "admin"]),
      name: z.string().nullable(),
      groups: z.array(z.string()),
      memberships: z.array(z.object({ group: z.string(), role: z.enum(GROUP_ROLES) })),
      scopes: z.array(z.string()),
      quotas: scopeSharesSchema().extend({ keys: shareSchema(), files: shareSchema() }),
      today: z
        .object({
          uploads: shareSchema(),
          conversations: shareSchema(),
          scripts: shareSchema(),
          keys: shareSchema(),
        })
        .openapi({ description: "Since midnight UTC. `keys` counts keys created for this user." }),
      rights: rightsSchema(),
    })
    .openapi("Me");

export const meRoutes = router();

meRoutes.openapi(
  createRoute({
    method: "get",
    path: "/me",
    summary: "Returns the caller, its rights and its quota usage.",
    responses: {
      200: json("The caller.", meSchema),
      ...refusals(),
    },
  }),
  async (c) => {
    const context = c.get("context");
    const { userId: user_id, name = null, role, groups, scopes } = context.caller.principal;
    const names = groups.map(({ group }) => group);
    const memberships = groups.map(({ group, role: inGroup }) => ({ group, role: inGroup }));
    const who = { user_id, role, name, groups: names, memberships, scopes: [...scopes] };
    const acting = c.req.header("on-behalf-of") !== undefined;
    const rights = rightsOf(context.caller.principal, acting, areGroupsOpen(context.settings));
    return c.json({ ...who, ...(await readOwnUse(context)), rights }, 200);
  },
);
