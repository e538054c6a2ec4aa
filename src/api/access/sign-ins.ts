// /api/v1/sign-ins: links with which a user signs an MCP host in.

import { createRoute } from "@hono/zod-openapi";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import { router } from "../../edge/router";
import { instant, json, jsonBody, nameableUser, refusals, refuseIdempotencyKey } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { createLink } from "../../services/sign-in/links";

const linkRequest = () => z.strictObject({ user_id: nameableUser });

const linkSchema = () =>
  z
    .object({
      id: z.string(),
      user_id: z.string(),
      url: z.string().openapi({ description: "What the user opens, or types into the sign-in page." }),
      expires_at: z.string(),
    })
    .openapi("SignInLink");

export const signInRoutes = router();

signInRoutes.openapi(
  createRoute({
    method: "post",
    path: "/sign-ins",
    summary: "Make a link that signs a user in once, for an MCP host (admin, or a service with `act_as`)",
    middleware: refuseIdempotencyKey,
    request: { body: jsonBody(linkRequest) },
    responses: {
      201: json("The link, shown this once.", linkSchema),
      ...refusals(400, 403, 409, 415),
    },
  }),
  async (c) => {
    const { id, userId, secret, expiresAt } = await createLink(c.get("context"), c.req.valid("json").user_id);
    const url = `${publicOrigin(settingsFrom(c.env), c.req.url)}/oauth/link/${secret}`;
    const made = { id, user_id: userId, url, expires_at: instant(expiresAt) };
    return c.json(made, 201, { "cache-control": "no-store" });
  },
);
