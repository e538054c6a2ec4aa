// Routes for /api/v1/users: list, export and erasure of users.

import { createRoute } from "@hono/zod-openapi";
import { importObjects } from "../edge/context";
import { conversationOf } from "../edge/conversation";
import { router } from "../edge/router";
import { instant, json, pageQuery, refusals, userId } from "../edge/schemas";
import * as z from "../edge/zod";
import { eraseUser, exportUser, ownerOf, readUsers } from "../services/users";

const params = z.object({ id: userId });
const count = z.int();

const erasedSchema = () =>
  z
    .object({
      erased: z.object({
        keys: count,
        grants: count,
        secrets: count,
        ghosts: count,
        memberships: count,
        skills: count,
        conversations: count,
      }),
      /** Whether the erasure is complete. Repeat until it is. */
      complete: z.boolean(),
    })
    .openapi("Erased");

const counted = count.min(0).openapi({ description: "Counted up to 1 000." });

const figuresSchema = () =>
  z
    .object({
      user_id: z.string(),
      is_admin: z.boolean(),
      last_used_at: z.string().nullable(),
      ...{ keys: counted, groups: counted, skills: counted, ghosts: counted, conversations: counted },
    })
    .openapi("UserFigures");

export const userRoutes = router();

userRoutes.openapi(
  createRoute({
    method: "get",
    path: "/users",
    summary: "Lists users by id, with counts.",
    request: { query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(figuresSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { users, nextCursor } = await readUsers(c.get("context"), limit, cursor);
    const items = users.map(({ userId: user_id, isAdmin: is_admin, lastUsedAt, ...figures }) => ({
      ...{ user_id, is_admin, last_used_at: lastUsedAt === null ? null : instant(lastUsedAt) },
      ...figures,
    }));
    return c.json({ items, next_cursor: nextCursor }, 200, { "cache-control": "private, no-store" });
  },
);

userRoutes.openapi(
  createRoute({
    method: "get",
    path: "/users/{id}/export",
    summary: "Exports all stored data of a user.",
    request: { params },
    responses: {
      200: {
        description: "The document, streamed.",
        content: {
          "application/json": { schema: z.looseObject({ user_id: z.string(), complete: z.literal(true) }) },
          "application/octet-stream": { schema: z.string() },
        },
      },
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const context = c.get("context");
    const caller = { ...context.caller, principal: ownerOf(context, id) };
    const pieces = await exportUser(context, id, (conversation) => conversationOf(c.env, caller, conversation));
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    });
    const name = `export-${id.replace(/[^A-Za-z0-9._-]/g, "_")}.json`;
    return c.body(body, 200, {
      "content-type": "application/json",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "private, no-store",
    });
  },
);

userRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/users/{id}",
    summary: "Erases the data of a user.",
    request: { params },
    responses: { 200: json("The counts of erased objects.", erasedSchema), ...refusals(400, 404) },
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const context = c.get("context");
    const caller = { ...context.caller, principal: ownerOf(context, id) };
    const open = (conversation: string) => conversationOf(c.env, caller, conversation);
    const erased = await eraseUser(context, id, open, importObjects(c.env));
    return c.json(erased, 200, { "cache-control": "private, no-store" });
  },
);
