// /api/v1/sign-ins: links that sign a user in on an MCP host or open the console.

import { createRoute } from "@hono/zod-openapi";
import { isLocalHttp } from "../../domain/loopback";
import { settingsFrom } from "../../domain/settings/settings";
import { publicOrigin } from "../../domain/sign-in/resource";
import { router } from "../../edge/router";
import { instant, json, jsonBody, refusals, refuseIdempotencyKey, userId } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { createLink } from "../../services/sign-in/links";

const linkRequest = () =>
  z.strictObject({
    user_id: userId,
    purpose: z
      .enum(["consent", "console"])
      .default("consent")
      .describe(
        "`consent`: signs in to allow an MCP host. `console`: signs in to the console. A link works for one of them only.",
      ),
  });

const linkSchema = () =>
  z
    .object({
      id: z.string(),
      user_id: z.string(),
      url: z.string().openapi({
        description: "The address that the user opens or enters on the sign-in page.",
      }),
      expires_at: z.string(),
    })
    .openapi("SignInLink");

export const signInRoutes = router();

signInRoutes.openapi(
  createRoute({
    method: "post",
    path: "/sign-ins",
    summary: "Creates a one-time sign-in link for a user.",
    middleware: refuseIdempotencyKey,
    request: { body: jsonBody(linkRequest) },
    responses: {
      201: json("The link. It is returned only once.", linkSchema),
      ...refusals(400, 403, 409, 415),
    },
  }),
  async (c) => {
    const { user_id, purpose } = c.req.valid("json");
    const isLocal = __DEVELOPMENT__ && isLocalHttp(new URL(c.req.url));
    const { id, secret, expiresAt } = await createLink(c.get("context"), { userId: user_id, purpose, isLocal });
    const origin = publicOrigin(settingsFrom(c.env), c.req.url);
    // Browsers do not send the part after `#`, so it is not logged.
    const url = purpose === "console" ? `${origin}/console#ticket=${secret}` : `${origin}/oauth/link/${secret}`;
    const made = { id, user_id, url, expires_at: instant(expiresAt) };
    return c.json(made, 201, { "cache-control": "no-store" });
  },
);
