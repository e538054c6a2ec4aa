// Routes for /api/v1/conversations/{id}/files: files that scripts wrote.

import { createRoute } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { mediaTypeOf } from "../../domain/media-type";
import type { HttpEnv } from "../../edge/edge";
import { disposition } from "../../edge/etag";
import { router } from "../../edge/router";
import { conversationId, instant, json, noContent, pageQuery, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { addressOf, deleteFile, endOf, findFileOf, listFiles, openFile } from "../../services/tools/stored-files";

const params = z.object({ id: conversationId });
const fileParams = params.extend({ file_id: z.string().max(100) });

const storedFileSchema = () =>
  z
    .object({
      id: z.string(),
      path: z.string(),
      size: z.int(),
      type: z.string(),
      address: z.string(),
      created_at: z.string(),
      expires_at: z.string(),
    })
    .openapi("KeptFile");

/** A script's author controls the content, and its user opens it: types that a browser might execute are served without a type. */
const INERT = /^(?:application\/(?:json|pdf|zip|toml|yaml)|image\/(?:gif|jpeg|png|webp)|text\/(?:csv|markdown|plain))$/;

export const storedFileRoutes = router();

storedFileRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/files",
    summary: "Lists files that scripts created, newest first.",
    request: { params, query: pageQuery },
    responses: {
      200: json("A page of the list.", () =>
        z.object({ items: z.array(storedFileSchema()), next_cursor: z.string().nullable() }),
      ),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { id: conversation } = about(c, c.req.valid("param"));
    const { limit, cursor } = c.req.valid("query");
    const context = c.get("context");
    const { rows, nextCursor } = await listFiles(context, conversation, limit, cursor);
    const items = rows.map((row) => ({
      id: row.id,
      path: row.path,
      size: row.size,
      type: mediaTypeOf(row.path),
      address: addressOf(conversation, row.id),
      created_at: instant(row.createdAt),
      expires_at: instant(endOf(context, row)),
    }));
    return c.json({ items, next_cursor: nextCursor }, 200);
  },
);

storedFileRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/files/{file_id}",
    summary: "Downloads a file that a script created.",
    request: { params: fileParams },
    responses: {
      200: {
        description: "The content as an attachment.",
        content: { "*/*": { schema: z.string().openapi({ format: "binary" }) } },
      },
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { id, file_id } = about(c, c.req.valid("param"));
    const context = c.get("context");
    const row = await findFileOf(context, id, file_id);
    const body = await openFile(context, row);
    if (c.req.method === "HEAD") await body.cancel();
    const type = mediaTypeOf(row.path);
    const charset = type.startsWith("text/") ? "; charset=utf-8" : "";
    return new Response(c.req.method === "HEAD" ? null : body, {
      headers: {
        "content-type": INERT.test(type) ? type + charset : "application/octet-stream",
        "content-length": `${row.size}`,
        "content-disposition": disposition("attachment", row.path.slice(row.path.lastIndexOf("/") + 1)),
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "private, no-store",
      },
    });
  },
);

storedFileRoutes.openapi(
  createRoute({
    method: "delete",
    path: "/conversations/{id}/files/{file_id}",
    summary: "Deletes a file that a script created.",
    request: { params: fileParams },
    responses: { 204: noContent, ...refusals(400, 404) },
  }),
  async (c) => {
    const { id, file_id } = about(c, c.req.valid("param"));
    await deleteFile(c.get("context"), id, file_id);
    return c.body(null, 204);
  },
);

/** Adds the conversation to the request's log line. */
function about<P extends { id: string }>(c: HonoContext<HttpEnv>, given: P): P {
  c.set("conversation", { conversation: given.id, userId: c.get("context").caller.principal.userId });
  return given;
}
