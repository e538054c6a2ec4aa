// Where a call of an MCP tool stands that waits for somebody's answer.

import * as z from "zod";
import { jsonObject } from "../json";

/** Something that a server asks during a call. `key` is what the server calls it, or nothing of the server's. */
export const serverQuestionSchema = z.object({ key: z.string(), method: z.string(), params: jsonObject });
export type ServerQuestion = z.infer<typeof serverQuestionSchema>;

/**
 * Written before anybody is asked. A server of 2026 has ended its part of the call, which goes on from `state` with the answers, whoever
 * sends them; one of 2025 waits in a stream that dies with the object that reads it.
 */
export const roundSchema = z.discriminatedUnion("era", [
  z.object({
    era: z.literal("modern"),
    /** How often the server has asked in this call, from 1. */
    count: z.int(),
    asked: z.array(serverQuestionSchema),
    state: z.string().nullable(),
  }),
  /** `question` is the page's that is open. */
  z.object({ era: z.literal("legacy"), question: z.string().optional() }),
]);
export type Round = z.infer<typeof roundSchema>;

/** What is asked for may be this large, with what the server wants back. */
export const ROUND_LIMITS = { bytes: 256 * 1024, questions: 16, rounds: 16 } as const;
