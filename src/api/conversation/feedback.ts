// /api/v1/conversations/{id}/feedback: feedback of the user on turns.

import { createRoute } from "@hono/zod-openapi";
import { feedbackFields } from "../../domain/feedback";
import { REQUEST_LIMITS } from "../../domain/limits";
import { conversation, unwrapReply } from "../../edge/conversation";
import { router } from "../../edge/router";
import { conversationId, json, jsonBody, pageAfter, refusals } from "../../edge/schemas";
import * as z from "../../edge/zod";
import { feedbackListSchema, feedbackSchema } from "../../services/conversation/feedback";

const params = z.object({ id: conversationId });

const feedbackRequest = () => {
  const { turn, score, comment } = feedbackFields();
  return z
    .strictObject({
      turn: turn.describe("The number of the turn."),
      score: score.describe("1: good; -1: bad; 0: withdrawn."),
      comment: comment.optional().describe("A text for yourself; authors do not see it."),
    })
    .openapi("FeedbackRequest");
};

export const feedbackRoutes = router();

feedbackRoutes.openapi(
  createRoute({
    method: "post",
    path: "/conversations/{id}/feedback",
    summary: "Stores feedback on a turn.",
    request: { params, body: jsonBody(feedbackRequest) },
    responses: { 200: json("The feedback.", feedbackSchema), ...refusals(400, 404, 409) },
  }),
  async (c) => {
    const { comment = null, ...rest } = c.req.valid("json");
    const { api, target } = conversation(c, c.req.valid("param").id);
    return c.json(unwrapReply(c, await api.giveFeedback(target, { ...rest, comment })), 200);
  },
);

feedbackRoutes.openapi(
  createRoute({
    method: "get",
    path: "/conversations/{id}/feedback",
    summary: "Lists the feedback on turns, in their order.",
    request: {
      params,
      query: pageAfter(REQUEST_LIMITS.listLimit),
    },
    responses: {
      200: json("A page of the list; pass `next_cursor` as `after`.", feedbackListSchema),
      ...refusals(400, 404),
    },
  }),
  async (c) => {
    const { after = 0, limit = REQUEST_LIMITS.listLimit } = c.req.valid("query");
    const { api, target } = conversation(c, c.req.valid("param").id);
    return c.json(unwrapReply(c, await api.feedback(target, after, limit)), 200);
  },
);
