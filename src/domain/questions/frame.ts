// The conversation socket's language: every frame in and out, and the codes that a socket is closed with.

import * as z from "zod";
import type { ErrorCode } from "../errors";
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
  /** No hello came in time, or what was sent is not read. */
  timeout: 4408,
  tooLarge: 4413,
  tooFast: 4429,
} as const;

/** From what the gateway means to what a socket says. */
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

/** What a page may ask to hear of, beside what it cannot do without. */
export const TOPICS = ["skills", "calls"] as const;

export type Topic = (typeof TOPICS)[number];

/** Actions that a page answers. The gateway keeps those by which servers ask. */
const answered = z.lazy(() => z.array(z.string().max(QUESTION_LIMITS.nameChars)).max(QUESTION_LIMITS.answered));

const helloFrame = z.lazy(() =>
  z.object({
    type: z.literal("hello"),
    last_seq: sequence.nullish(),
    client: jsonValue.optional(),
    /** Topics that this gateway does not know are for later versions. */
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

/** What the page was sent before this mark it has read. The mark is random: nobody knows it who has not come so far. */
const markFrame = z.lazy(() => z.object({ type: z.literal("mark"), mark: z.string().max(64) }));

/** What the page answers from now on, in the place of what its hello said. */
const answersFrame = z.lazy(() => z.object({ type: z.literal("answers"), answers: answered }));

/** What a page may say. Members it does not name are for later versions and pass. */
const clientFrameSchema = z.lazy(() =>
  z.discriminatedUnion("type", [helloFrame, responseFrame, markFrame, answersFrame]),
);

export type ClientFrame = z.infer<typeof clientFrameSchema>;
export type HelloFrame = z.infer<typeof helloFrame>;
export type ResponseFrame = z.infer<typeof responseFrame>;

const active = () => z.array(jsonObject);

const listedSkillSchema = () =>
  z.strictObject({
    skill: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    /** Of its instructions. */
    tokens: z.int(),
    /** Whether only the user may choose it. */
    user_only: z.boolean(),
  });

const ackFrame = () =>
  z.discriminatedUnion("success", [
    z.strictObject({ type: z.literal("ack"), request_id: z.string(), success: z.literal(true) }),
    z.strictObject({
      type: z.literal("ack"),
      request_id: z.string(),
      success: z.literal(false),
      error: z.enum(["already_resolved", "expired", "unknown_request", "invalid_answer"]),
      /** Of `invalid_answer`: what does not fit. The request waits on. */
      problems: z.array(z.string()).optional(),
    }),
  ]);

/** What a page hears. A function, because the gateway only writes these and tests read them. */
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
      /** What waits for an answer. Everything else that a returning page was asked has ended. */
      pending: z.array(z.string()),
    }),
    z.strictObject({
      type: z.literal("skill:request"),
      seq: sequence,
      request_id: z.string(),
      skill_name: z.string().nullable(),
      action: z.string(),
      payload: jsonValue,
      /** Written by the gateway. What has none is asked by a skill or the back end, whatever it says of itself. */
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
    /** For pages that hear of skills: those that the conversation may use. */
    z.strictObject({ type: z.literal("skill:list"), skills: z.array(listedSkillSchema()), total: z.int() }),
    /** For pages that hear of calls: all of the current turn, after which each change is told. */
    z.strictObject({ type: z.literal("tool:calls"), turn: z.int(), calls: z.array(pageCallSchema()) }),
    z.strictObject({ type: z.literal("tool:call"), call: pageCallSchema() }),
    /** To be sent back as it is. A page that does not is sent `ASKING_LIMITS.unreadBytes` a connection. */
    z.strictObject({ type: z.literal("mark"), mark: z.string() }),
    z.strictObject({
      type: z.literal("error"),
      code: z.string(),
      message: z.string(),
      request_id: z.string().optional(),
    }),
  ]);

export type ServerFrame = z.infer<ReturnType<typeof serverFrameSchema>>;

/** Reads one message of a socket: a frame, or why the socket must go. */
export function readFrame(data: string | ArrayBuffer): { frame: ClientFrame } | { close: number; reason: string } {
  if (typeof data !== "string") return { close: CLOSE.badFrame, reason: "Binary frame received. Send text frames." };
  if (utf8Bytes(data) > QUESTION_LIMITS.frameBytes) return { close: CLOSE.tooLarge, reason: "Frame too large." };
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return { close: CLOSE.badFrame, reason: "The frame is not valid JSON." };
  }
  const parsed = clientFrameSchema.safeParse(value);
  if (parsed.success) return { frame: parsed.data };
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  return { close: CLOSE.badFrame, reason: `The frame is not valid${where === "" ? "" : `: ${where.slice(0, 60)}`}.` };
}
