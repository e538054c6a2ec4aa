// GET /api/v1/events: what happens to skills, as a list of missed events or as server-sent events.

import { createRoute } from "@hono/zod-openapi";
import { identifyAgain } from "../edge/auth";
import { openEventSocket } from "../edge/events";
import { router } from "../edge/router";
import { described, refusals } from "../edge/schemas";
import * as z from "../edge/zod";
import { eventsSchema, readMissed } from "../services/events/missed";
import { openEventStream } from "../services/events/stream";

const HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
const eventPlace = z.string().max(64);

export const eventRoutes = router();

eventRoutes.openapi(
  createRoute({
    method: "get",
    path: "/events",
    summary: "Returns or streams events of skills.",
    request: {
      query: z.object({
        last_event_id: eventPlace.optional(),
      }),
      headers: z.object({ "last-event-id": eventPlace.optional() }),
    },
    responses: {
      200: {
        description: "The events after `last_event_id`.",
        content: {
          "application/json": described(() => eventsSchema().openapi("RegistryEvents")),
          "text/event-stream": { schema: z.string() },
        },
      },
      ...refusals(400, 429),
    },
  }),
  async (c) => {
    const context = c.get("context");
    const lastId = c.req.valid("header")["last-event-id"] ?? c.req.valid("query").last_event_id ?? null;
    const streams = (c.req.header("accept") ?? "").includes("text/event-stream") && c.req.method === "GET";
    if (!streams) return c.json(await readMissed(context, lastId), 200);
    const socket = await openEventSocket(c.env, context.caller.principal.userId);
    const { signal } = c.req.raw;
    const identify = async () => (await identifyAgain(c)).principal;
    return c.body(await openEventStream({ context, socket, lastId, signal, identify }), 200, HEADERS);
  },
);
