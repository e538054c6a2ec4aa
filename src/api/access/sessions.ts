// Routes for /api/v1/sessions: console sessions.

import { createRoute } from "@hono/zod-openapi";
import { CONSOLE_SIGN_IN_METHODS } from "../../domain/console/session";
import { REQUEST_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { instant, json, noContent, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { deleteSession, readSessions } from "../../services/console/sessions";

const sessionSchema = () =>
  z
    .object({
      id: z.string(),
      user_id: z.string(),
      signed_in_by: z.enum(CONSOLE_SIGN_IN_METHODS),
      current: z.boolean().openapi({ description: "True for the session of this request." }),
      created_at: z.string(),
      expires_at: z
        .string()
        .openapi({ description: "The latest end. A session without requests for an hour ends earlier." }),
      last_used_at: z.string().openapi({ description: "Accurate to one minute." }),
    })
    .openapi("Session");

const params = z.object({ id: z.string() });

export const sessionRoutes = router();

sessionRoutes.openapi(
  createRoute({
    method: "get",
    path: "/sessions",
    summary: "Lists console sessions, newest first. Admins see the sessions of all users.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of sessions.", () =>
        z.object({ items: z.array(sessionSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const context = c.get("context");
    const { rows, nextCursor } = await readSessions(context, limit ?? REQUEST_LIMITS.listLimit, cursor);
    const own = context.caller.principal.session?.id;
    const items = rows.map(({ id, userId, via, createdAt, expiresAt, lastUsedAt }) => ({
      ...{ id, user_id: userId, signed_in_by: via, current: id === own },
      created_at: instant(createdAt),
      expires_at: instant(expiresAt),
      last_used_at: instant(lastUsedAt),
    }));
    return c.json({ items, next_cursor: nextCursor }, 200);
  },
);

sessionRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/sessions/{id}",
    summary: "Ends a console session.",
    request: { params },
    responses: { 204: noContent, ...refusals(403, 404) },
  }),
  async (c) => {
    await deleteSession(c.get("context"), c.req.valid("param").id);
    return c.body(null, 204);
  },
);
