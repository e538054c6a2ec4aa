// /api/v1/sign-ins: links with which a user signs an MCP host in, or opens the console.

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
        "`consent`: to allow an MCP host. `console`: to open the console. A link of one opens nothing of the other.",
      ),
  });

const linkSchema = () =>
  z
    .object({
      id: z.string(),
      user_id: z.string(),
      url: z.string().openapi({
        description: "What the user opens, or types into the sign-in page; of the console, the page that takes it.",
      }),
      expires_at: z.string(),
    })
    .openapi("SignInLink");

export const signInRoutes = router();

signInRoutes.openapi(
  createRoute({
    method: "post",
    path: "/sign-ins",
    summary:
      "Make a link that signs a user in once, for an MCP host or to the console (admin, or a service with `act_as`)",
    middleware: refuseIdempotencyKey,
    request: { body: jsonBody(linkRequest) },
    responses: {
      201: json("The link, shown this once.", linkSchema),
      ...refusals(400, 403, 409, 415),
    },
  }),
  async (c) => {
    const { user_id, purpose } = c.req.valid("json");
    const isLocal = __DEVELOPMENT__ && isLocalHttp(new URL(c.req.url));
    const { id, secret, expiresAt } = await createLink(c.get("context"), { userId: user_id, purpose, isLocal });
    const origin = publicOrigin(settingsFrom(c.env), c.req.url);
    // What stands behind the `#` is sent to no server and written to no log.
    const url = purpose === "console" ? `${origin}/console#ticket=${secret}` : `${origin}/oauth/link/${secret}`;
    const made = { id, user_id, url, expires_at: instant(expiresAt) };
    return c.json(made, 201, { "cache-control": "no-store" });
  },
);
