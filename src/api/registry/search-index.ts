// POST /api/v1/search-index: rebuilds the full-text index step by step.

import { createRoute } from "@hono/zod-openapi";
import { router } from "../../edge/router";
import { json, optionalJsonBody, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { reindex } from "../../services/registry/reindex";

export const searchIndexRoute = router();

const place = () => z.strictObject({ after: z.int().min(0).default(0) });

searchIndexRoute.openapi(
  createRoute({
    method: "post",
    path: "/search-index",
    summary: "Rebuilds a part of the search index.",
    request: { body: optionalJsonBody(place) },
    responses: {
      200: json("The number of indexed rows, and where to continue.", () =>
        z.object({ indexed: z.int(), next: z.int().nullable() }),
      ),
      ...refusals(400, 403),
    },
  }),
  async (c) => c.json(await reindex(c.get("context"), c.req.valid("json")?.after ?? 0), 200),
);
