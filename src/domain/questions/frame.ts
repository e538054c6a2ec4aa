// Defines the frames of the conversation's WebSocket and its close codes.

import * as z from "zod";
import type { ErrorCode } from "../errors";
import { feedbackFields } from "../feedback";
import { jsonObject, jsonValue, utf8Bytes } from "../json";
import { pageCallSchema } from "./call-frame";
import { QUESTION_LIMITS } from "./limits";
import { answerSchema, askerSchema } from "./question";

export const SUBPROTOCOL = "skill-gateway.v1";

export const CLOSE = {
  failed: 1011,
  tryLater: 1013,
  badFrame: 4400,
  unauthenticated: 4401,
  forbidden: 4403,
  noConversation: 4404,
  /** No hello arrived in time, or the page does not read. */
  timeout: 4408,
  tooLarge: 4413,
  tooFast: 4429,
} as const;

/** Close reasons that several modules use. A reason has at most 123 bytes (RFC 6455). */
export const CLOSE_REASONS = {
  backpressure: "The client does not read fast enough. Connect again and read every frame.",
  noConversation: "Conversation not found. Create it with a first turn.",
} as const;

/** Maps error codes to WebSocket close codes. */
export const CLOSE_CODE: Record<ErrorCode, number> = {
  invalid: CLOSE.badFrame,
  unprocessable: CLOSE.badFrame,
  conflict: CLOSE.badFrame,
  outdated: CLOSE.badFrame,
  unauthenticated: CLOSE.unauthenticated,
  forbidden: CLOSE.forbidden,
  not_found: CLOSE.noConversation,
  too_large: CLOSE.tooLarge,
  rate_limited: CLOSE.tooFast,
  unavailable: CLOSE.tryLater,
};

const sequence = z.int().min(0);

/** Optional topics that a page can subscribe to. */
export const TOPICS = ["skills", "calls", "feedback"] as const;

export type Topic = (typeof TOPICS)[number];

/** Actions that a page answers. Only those used by servers are stored. */
const answered = z.lazy(() => z.array(z.string().max(QUESTION_LIMITS.nameChars)).max(QUESTION_LIMITS.answered));

const helloFrame = z.lazy(() =>
  z.object({
    type: z.literal("hello"),
    last_seq: sequence.nullish(),
    client: jsonValue.optional(),
    /** Unknown topics are ignored, for later versions. */
    hears: z.array(z.string().max(40)).max(16).optional(),
    answers: answered.optional(),
  }),
);

const responseFrame = z.lazy(() =>
  answerSchema.extend({
    type: z.literal("skill:response"),
    request_id: z.string().min(1).max(200),
    skill_name: z.string().nullish(),
    action: z.string().nullish(),
  }),
);

/** Feedback of the user on a turn. The page chooses the `request_id`, and the ack contains it. */
const feedbackFrame = z.lazy(() => {
  const { turn, score, comment } = feedbackFields();
  const request_id = z.string().min(1).max(200);
  return z.object({ type: z.literal("feedback"), request_id, turn, score, comment: comment.nullish() });
});

/** The page has read everything before this mark. Marks are random, so a page cannot acknowledge what it has not read. */
const markFrame = z.lazy(() => z.object({ type: z.literal("mark"), mark: z.string().max(64) }));

/** The actions that the page answers from now on; replaces those of its hello. */
const answersFrame = z.lazy(() => z.object({ type: z.literal("answers"), answers: answered }));

/** Frames from a page. Unknown members are ignored, for later versions. */
const clientFrameSchema = z.lazy(() =>
  z.discriminatedUnion("type", [helloFrame, responseFrame, feedbackFrame, markFrame, answersFrame]),
);

export type ClientFrame = z.infer<typeof clientFrameSchema>;
export type HelloFrame = z.infer<typeof helloFrame>;
export type ResponseFrame = z.infer<typeof responseFrame>;
export type FeedbackFrame = z.infer<typeof feedbackFrame>;

const active = () => z.array(jsonObject);

const listedSkillSchema = () =>
  z.strictObject({
    skill: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    /** Tokens of its instructions. */
    tokens: z.int(),
    /** Whether only the user can select it. */
    user_only: z.boolean(),
  });

const ackFrame = () =>
  z.discriminatedUnion("success", [
    z.strictObject({ type: z.literal("ack"), request_id: z.string(), success: z.literal(true) }),
    z.strictObject({
      type: z.literal("ack"),
      request_id: z.string(),
      success: z.literal(false),
      error: z.enum([
        ...(["already_resolved", "expired", "unknown_request", "invalid_answer"] as const),
        /** Of feedback: no such turn, and no room in the conversation. */
        ...(["unknown_turn", "conversation_full"] as const),
      ]),
      /** With `invalid_answer`: what is wrong. The request stays open. */
      problems: z.array(z.string()).optional(),
    }),
  ]);

/** Frames to a page. A function, because the gateway only writes them and tests read them. */
export const serverFrameSchema = () =>
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("welcome"),
      seq: sequence,
      conversation: z.string(),
      turn: z.int(),
      active: active(),
      resumed: z.boolean(),
      resume: z.string(),
      /** Ids of unanswered requests. All other requests that a returning page had have ended. */
      pending: z.array(z.string()),
    }),
    z.strictObject({
      type: z.literal("skill:request"),
      seq: sequence,
      request_id: z.string(),
      skill_name: z.string().nullable(),
      action: z.string(),
      payload: jsonValue,
      /** Written by the gateway. If absent, a skill or the back end asks, whatever the text claims. */
      from: askerSchema.optional(),
      deadline: z.string(),
      attempt: z.int().min(1),
    }),
    z.strictObject({
      type: z.literal("skill:event"),
      seq: sequence,
      skill_name: z.string().nullable(),
      action: z.string(),
      payload: jsonValue,
    }),
    ackFrame(),
    z.strictObject({
      type: z.literal("skill:cancelled"),
      request_id: z.string(),
      reason: z.string(),
    }),
    z.strictObject({ type: z.literal("skill:active"), turn: z.int(), active: active() }),
    /** For pages subscribed to skills: those that the conversation can use. */
    z.strictObject({ type: z.literal("skill:list"), skills: z.array(listedSkillSchema()), total: z.int() }),
    /** For pages subscribed to calls: all of the current turn; changes follow. */
    z.strictObject({ type: z.literal("tool:calls"), turn: z.int(), calls: z.array(pageCallSchema()) }),
    z.strictObject({ type: z.literal("tool:call"), call: pageCallSchema() }),
    /** For pages subscribed to feedback: scores of turns, which replace earlier ones of the same turns. All of them after the welcome. */
    z.strictObject({
      type: z.literal("turn:feedback"),
      items: z.array(z.strictObject({ turn: z.int(), score: z.int() })),
    }),
    /** The client returns it unchanged. A page that does not return it receives at most `ASKING_LIMITS.unreadBytes` per connection. */
    z.strictObject({ type: z.literal("mark"), mark: z.string() }),
    z.strictObject({
      type: z.literal("error"),
      code: z.string(),
      message: z.string(),
      request_id: z.string().optional(),
    }),
  ]);

export type ServerFrame = z.infer<ReturnType<typeof serverFrameSchema>>;

/** Reads one message of a socket: returns the frame, or the reason for closing the socket. */
export function readFrame(data: string | ArrayBuffer): { frame: ClientFrame } | { close: number; reason: string } {
  if (typeof data !== "string") return { close: CLOSE.badFrame, reason: "Binary frame received. Send text frames." };
  if (utf8Bytes(data) > QUESTION_LIMITS.frameBytes)
    return {
      close: CLOSE.tooLarge,
      reason: `Frame too large (limit ${QUESTION_LIMITS.frameBytes / 1_024} KiB). Send less.`,
    };
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return { close: CLOSE.badFrame, reason: "The frame is not valid JSON. Fix the syntax." };
  }
  const parsed = clientFrameSchema.safeParse(value);
  if (parsed.success) return { frame: parsed.data };
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  return {
    close: CLOSE.badFrame,
    reason: `The frame is not valid${where === "" ? "" : ` at ${where.slice(0, 60)}`}. Check its fields.`,
  };
}
