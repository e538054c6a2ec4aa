// Routes for /api/v1/me/skill-env: the caller's values of variables that skills declare. Values cannot be read again.

import { createRoute } from "@hono/zod-openapi";
import { GATEWAY_SCOPE } from "../../domain/access/access";
import { REQUEST_LIMITS, SECRET_LIMITS } from "../../domain/limits";
import { SECRET_NAME } from "../../domain/servers/template";
import { notModified, tagged } from "../../edge/etag";
import { router } from "../../edge/router";
import { instant, json, jsonBody, noContent, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import {
  deleteVariables,
  pageOfSkillEnv,
  readVariables,
  type SkillVariables,
  setVariables,
} from "../../services/registry/skill-env";
import type { SkillEnvFacts } from "../../storage/d1/registry/skill-env";

/** More than a version can declare, because versions of a skill declare different hosts. */
const MOST_HOSTS = 100;
const MOST_VALUES = 100;

const envName = z.string().regex(SECRET_NAME, "1-64 of A-Za-z0-9_, not starting with a digit");
/** Visible ASCII and spaces inside: what an HTTP header can contain, without a line break. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export const networkHosts = () => z.array(z.string().min(1).max(260)).max(MOST_HOSTS);

export const envRequest = () =>
  z
    .strictObject({
      values: z
        .record(
          envName,
          z
            .string()
            .min(SECRET_LIMITS.minChars)
            .max(SECRET_LIMITS.chars)
            .regex(HEADER_TEXT, "use visible ASCII characters, and spaces only between them"),
        )
        .refine((values) => Object.keys(values).length > 0, "name at least one variable")
        .refine((values) => Object.keys(values).length <= MOST_VALUES, `name at most ${MOST_VALUES} variables`)
        .openapi({ description: "The values by the names of the variables. Other values stay." }),
      hosts: networkHosts()
        .min(1)
        .optional()
        .openapi({ description: "The hosts that receive the values. Default: all that the current version declares." }),
    })
    .openapi("NewSkillEnv");

export const envQuery = z.object({ name: envName.optional() });

const valueFields = () => ({
  name: z.string(),
  hosts: z.array(z.string()).openapi({ description: "The hosts to which the value can be sent." }),
  created_at: z.string(),
  updated_at: z.string(),
  last_used_at: z.string().nullable(),
});

export const variablesSchema = () =>
  z
    .object({
      skill_id: z.string(),
      skill_name: z.string(),
      network: z.array(z.string()).openapi({ description: "The hosts that the current version declares." }),
      env: z.array(z.string()).openapi({ description: "The variables that the current version declares." }),
      values: z.array(
        z.object({
          ...valueFields(),
          shared: z.boolean().openapi({ description: "Whether an admin set it for all users of the skill." }),
        }),
      ),
      missing: z.array(z.string()).openapi({ description: "Declared variables without a value." }),
    })
    .openapi("SkillEnv");

const listedSchema = () =>
  z
    .object({
      skill_id: z.string(),
      skill_name: z.string().nullable().openapi({ description: "`null` if you can no longer read the skill." }),
      ...valueFields(),
    })
    .openapi("SkillEnvValue");

const params = z.object({ skill: z.string().max(200) });

export const skillEnvRoutes = router();

skillEnvRoutes.openapi(
  createRoute({
    method: "get",
    path: "/me/skill-env",
    summary: "Lists your values of skills' variables, without the values.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(listedSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit = REQUEST_LIMITS.listLimit, cursor } = c.req.valid("query");
    const { rows, nextCursor } = await pageOfSkillEnv(c.get("context"), limit, cursor);
    const items = rows.map((row) => ({ skill_id: row.skillId, skill_name: row.skillName, ...wireValue(row) }));
    return c.json({ items, next_cursor: nextCursor }, 200);
  },
);

skillEnvRoutes.openapi(
  createRoute({
    method: "get",
    path: "/me/skill-env/{skill}",
    summary: "Returns the variables of a skill and which of them have a value.",
    middleware: tagged,
    request: { params },
    responses: {
      200: json("The variables, without values.", variablesSchema),
      304: notModified,
      ...refusals(403, 404, 409),
    },
  }),
  async (c) => c.json(wireVariables(await readVariables(c.get("context"), c.req.valid("param").skill)), 200),
);

skillEnvRoutes.openapi(
  createRoute({
    method: "put",
    path: "/me/skill-env/{skill}",
    summary: "Sets your values of variables of a skill.",
    request: { params, body: jsonBody(envRequest) },
    responses: { 200: json("The variables, without values.", variablesSchema), ...refusals(400, 403, 404, 409, 415) },
  }),
  async (c) => {
    const { skill } = c.req.valid("param");
    return c.json(wireVariables(await setVariables(c.get("context"), "own", skill, c.req.valid("json"))), 200);
  },
);

skillEnvRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/me/skill-env/{skill}",
    summary: "Deletes your values of variables of a skill.",
    request: { params, query: envQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404, 409) },
  }),
  async (c) => {
    await deleteVariables(c.get("context"), "own", c.req.valid("param").skill, c.req.valid("query").name);
    return c.body(null, 204);
  },
);

export function wireVariables({ skill, values, missing }: SkillVariables): z.infer<ReturnType<typeof variablesSchema>> {
  return {
    skill_id: skill.id,
    skill_name: skill.name,
    network: skill.hosts,
    env: skill.env,
    // The last use of a shared value is that of other users.
    values: values.map((row) => {
      const shared = row.scope === GATEWAY_SCOPE;
      return { ...wireValue(shared ? { ...row, lastUsedAt: null } : row), shared };
    }),
    missing,
  };
}

function wireValue(row: SkillEnvFacts) {
  return {
    name: row.name,
    hosts: row.hosts,
    created_at: instant(row.createdAt),
    updated_at: instant(row.updatedAt),
    last_used_at: row.lastUsedAt === null ? null : instant(row.lastUsedAt),
  };
}
