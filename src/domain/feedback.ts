// Feedback of a user on a turn, as the API and pages send it.

import * as z from "zod";
import { CONVERSATION_LIMITS } from "./limits";

/** 1: good; -1: bad; 0: withdrawn. */
const score = () => z.union([z.literal(-1), z.literal(0), z.literal(1)], "Use 1, 0 or -1.");

/** The fields of feedback on a turn. */
export const feedbackFields = () => ({
  turn: z.int().min(1),
  score: score(),
  comment: z.string().max(CONVERSATION_LIMITS.commentChars),
});
