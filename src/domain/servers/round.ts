// The state of an MCP tool call that waits for an answer.

import * as z from "zod";
import { jsonObject } from "../json";

/** A server's request during a call. `key`: the server's key, or one of the gateway. */
export const serverQuestionSchema = z.object({ key: z.string(), method: z.string(), params: jsonObject });
export type ServerQuestion = z.infer<typeof serverQuestionSchema>;

/**
 * Stored before the question is asked. A server of MCP 2026 has ended its part of the call. The call continues from `state` when answers
 * arrive. A server of 2025 waits in a stream that ends with the Durable Object.
 */
export const roundSchema = z.discriminatedUnion("era", [
  z.object({
    era: z.literal("modern"),
    /** Number of requests of the server in this call, from 1. */
    count: z.int(),
    asked: z.array(serverQuestionSchema),
    state: z.string().nullable(),
  }),
  /** `question`: the open question to the page. */
  z.object({ era: z.literal("legacy"), question: z.string().optional() }),
]);
export type Round = z.infer<typeof roundSchema>;

/** Limits of requests, including the state that the server wants back. */
export const ROUND_LIMITS = { bytes: 256 * 1024, questions: 16, rounds: 16 } as const;
