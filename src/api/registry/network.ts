// Routes for the hosts that code of a skill can call, and for values that all users of the skill share.

import { createRoute } from "@hono/zod-openapi";
import { namesTag, notModified, tagged, tagOfJson } from "../../edge/etag";
import { router } from "../../edge/router";
import { json, jsonBody, noContent, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { deleteVariables, setVariables } from "../../services/registry/skill-env";
import { approveNetwork, networkOfSkill } from "../../services/registry/skill-network";
import type { SkillNetwork } from "../../storage/d1/registry/declared-network";
import { envQuery, envRequest, networkHosts, variablesSchema, wireVariables } from "./skill-env";

const params = z.object({ id: z.string() });

const networkSchema = () =>
  z
    .object({
      declared: z.array(z.string()).openapi({ description: "The hosts that the current version declares." }),
      approved: z.array(z.string()).openapi({ description: "The hosts that code of the skill can call." }),
      waiting: z.array(z.string()).openapi({ description: "Declared hosts that are not approved." }),
    })
    .openapi("SkillNetwork");

export const networkRoutes = router();

networkRoutes.openapi(
  createRoute({
    method: "get",
    path: "/{id}/network",
    summary: "Returns the hosts that code of a skill can call.",
    middleware: tagged,
    request: { params },
    responses: { 200: json("The hosts.", networkSchema), 304: notModified, ...refusals(404) },
  }),
  async (c) => c.json(wireNetwork(await networkOfSkill(c.get("context"), c.req.valid("param").id)), 200),
);

networkRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/network",
    summary: "Approves the hosts that code of a skill can call.",
    request: { params, body: jsonBody(() => z.strictObject({ hosts: networkHosts() })) },
    responses: { 200: json("The hosts.", networkSchema), ...refusals(400, 403, 404, 412, 415) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const tags = c.req.header("if-match");
    const isMeant = async (network: SkillNetwork) => namesTag(tags, await tagOfJson(wireNetwork(network)));
    const { hosts } = c.req.valid("json");
    const network = await approveNetwork(c.get("context"), id, hosts, tags === undefined ? null : isMeant);
    const answer = wireNetwork(network);
    return c.json(answer, 200, { etag: await tagOfJson(answer) });
  },
);

networkRoutes.openapi(
  createRoute({
    method: "put",
    path: "/{id}/env",
    summary: "Sets values of variables that all users of a skill share.",
    request: { params, body: jsonBody(envRequest) },
    responses: { 200: json("The variables, without values.", variablesSchema), ...refusals(400, 403, 404, 409, 415) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    return c.json(wireVariables(await setVariables(c.get("context"), "shared", id, c.req.valid("json"))), 200);
  },
);

networkRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/{id}/env",
    summary: "Deletes shared values of variables of a skill.",
    request: { params, query: envQuery },
    responses: { 204: noContent, ...refusals(400, 403, 404) },
  }),
  async (c) => {
    await deleteVariables(c.get("context"), "shared", c.req.valid("param").id, c.req.valid("query").name);
    return c.body(null, 204);
  },
);

function wireNetwork({ hosts, approved }: SkillNetwork): z.infer<ReturnType<typeof networkSchema>> {
  return { declared: hosts, approved, waiting: hosts.filter((host) => !approved.includes(host)) };
}
