// Route for the predictions in conversations with an agent, by day.

import { createRoute } from "@hono/zod-openapi";
import { USE_LIMITS } from "../../domain/limits";
import { router } from "../../edge/router";
import { integerParameter, json, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { predictionsOfAgent } from "../../services/registry/predictions";

const figures = {
  messages: z.int().openapi({ description: "Turns with a message." }),
  predicted: z.int().openapi({ description: "Turns with a message for which a skill was predicted." }),
  appended: z.int().openapi({ description: "Predictions whose instructions were appended. They are not compared." }),
  needed: z.int().openapi({
    description: "Turns with a message in which the model loaded a skill, without those with an appended one.",
  }),
  hits: z.int().openapi({ description: "Those of them in which it loaded the predicted skill." }),
  saved: z.int().openapi({
    description: "What the compared predictions would have saved, in tokens at the price of an ordinary input token.",
  }),
  lost: z.int().openapi({ description: "What the compared predictions would have cost in vain, in the same unit." }),
  saved_ms: z.int().openapi({ description: "Milliseconds until the models had loaded the predicted skills." }),
  precision: z.number().nullable().openapi({ description: "The part of the compared predictions that were right." }),
  coverage: z.number().nullable().openapi({ description: "`hits` as a part of `needed`." }),
};

export const ghostPredictionsRoute = router();

ghostPredictionsRoute.openapi(
  createRoute({
    method: "get",
    path: "/{id}/predictions",
    summary: "Returns how often skills were predicted for an agent (ghost).",
    request: {
      params: z.object({ id: z.string() }),
      query: z.object({ days: integerParameter(1, USE_LIMITS.days).default(30) }),
    },
    responses: {
      200: json("The counts by day.", () =>
        z.object({
          ghost_id: z.string(),
          ghost_name: z.string(),
          since: z.string(),
          until: z.string(),
          totals: z.object(figures),
          days: z.array(z.object({ day: z.string(), ...figures })),
        }),
      ),
      ...refusals(400, 403, 404),
    },
  }),
  async (c) => {
    const { ghost, since, until, totals, days } = await predictionsOfAgent(
      c.get("context"),
      c.req.valid("param").id,
      c.req.valid("query").days,
    );
    const found = {
      ...{ ghost_id: ghost.id, ghost_name: ghost.name, since: dayText(since), until: dayText(until), totals },
      days: days.map(({ day, ...rest }) => ({ day: dayText(day), ...rest })),
    };
    return c.json(found, 200);
  },
);

function dayText(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
