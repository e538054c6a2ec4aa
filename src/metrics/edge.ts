// GET /metrics: the gateway's counters, for an operator's monitoring.

import { createRoute } from "@hono/zod-openapi";
import { version } from "../../package.json";
import { OPEN_METRICS_TYPE, openMetrics } from "../domain/metrics/open-metrics";
import { crossOrigin } from "../edge/cors";
import type { Edge } from "../edge/edge";
import { answerError, problem } from "../edge/errors";
import { meterOf } from "../edge/metrics/counter";
import { router } from "../edge/router";
import { only } from "../edge/schemas";
import * as z from "../edge/zod";
import { readSums } from "../services/metrics/reading";

const routes = router();

routes.openapi(
  createRoute({
    method: "get",
    path: "/metrics",
    summary: "Returns metrics in the OpenMetrics format.",
    responses: {
      200: { description: "OpenMetrics 1.0 text.", content: { [OPEN_METRICS_TYPE]: { schema: z.string() } } },
      ...only(400, 401, 403, 404, 429, 503),
    },
  }),
  async (c) => {
    const sums = await readSums(c.get("context"), () => meterOf(c.env));
    const headers = { "content-type": OPEN_METRICS_TYPE, "cache-control": "no-store" };
    return new Response(openMetrics(sums, version), { headers });
  },
);

routes.all("/metrics", (c) =>
  problem(c, 405, "METHOD_NOT_ALLOWED", "Method not allowed. Use GET.", {}, { allow: "GET" }),
);

export const metricsEdge: Edge = { prefix: "/metrics", cors: [crossOrigin], routes, errors: answerError };
