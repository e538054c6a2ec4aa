// A tool call as pages see it: under the tool's own name, and without data for the model unless the page can see it.

import * as z from "zod";
import { jsonObject } from "../json";

export const CALL_STATES = ["running", "done", "failed", "cancelled"] as const;

/** What is stored of a call besides its result. Times are milliseconds since the epoch. */
export const callHeadSchema = z.lazy(() =>
  z.object({
    /** The tool's own name. For a call through `call_skill_tool`, the name of the called tool. */
    name: z.string(),
    /** The skill whose tool it is, or that it concerns; `null`: the gateway's own or a server's tool. */
    skill: z.string().nullable(),
    state: z.enum(CALL_STATES),
    started: z.number(),
    /** Its number among calls that begin at the same time. */
    place: z.number(),
    ended: z.number().nullable(),
    /** The arguments from the model, unless they are long. */
    arguments: jsonObject.nullable(),
  }),
);

export type CallHead = z.infer<typeof callHeadSchema>;

/** Progress of a call, as its server reports it. */
export const callProgressSchema = () =>
  z.object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() });

export type CallProgress = z.infer<ReturnType<typeof callProgressSchema>>;

/** A call in a frame. `arguments` and `output` are present only for pages that can see them. */
export const pageCallSchema = () =>
  z.strictObject({
    call_id: z.string(),
    name: z.string(),
    skill: z.string().nullable(),
    state: z.enum(CALL_STATES),
    turn: z.int(),
    started_at: z.string(),
    ended_at: z.string().nullable(),
    progress: callProgressSchema().optional(),
    arguments: jsonObject.optional(),
    output: z.string().optional(),
  });

export type PageCall = z.infer<ReturnType<typeof pageCallSchema>>;

/** A call with everything that a page can see of it. */
export interface CallSummary {
  id: string;
  turn: number;
  head: CallHead;
  progress: CallProgress | null;
  /** The result as text; `null`: none yet, or not for pages. */
  output: string | null;
}

/** Returns the call as a page receives it. */
export function callForPage({ id, turn, head, progress, output }: CallSummary, seesOutput: boolean): PageCall {
  return {
    call_id: id,
    name: head.name,
    skill: head.skill,
    state: head.state,
    turn,
    started_at: new Date(head.started).toISOString(),
    ended_at: head.ended === null ? null : new Date(head.ended).toISOString(),
    ...(progress === null || head.state !== "running" ? {} : { progress: progressFor(progress, seesOutput) }),
    ...(seesOutput && head.arguments !== null ? { arguments: head.arguments } : {}),
    ...(seesOutput && output !== null ? { output } : {}),
  };
}

/** Messages of a server are part of its result. */
function progressFor({ message, ...numbers }: CallProgress, seesOutput: boolean): CallProgress {
  return seesOutput && message !== undefined ? { ...numbers, message } : numbers;
}
