// What is known of a socket's other side, as the socket itself carries it, and when it has to be looked at next.

import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { TOPICS } from "../domain/questions/frame";
import { SERVER_ACTIONS } from "../domain/questions/question";
import { type Grant, grantSchema } from "../domain/questions/ticket";

/** What a socket carries through hibernation. Checked when it comes back: an older gateway may have written it. */
export const holderSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    grant: grantSchema,
    /** The origin it came from; its resume ticket is good there and nowhere else. */
    origin: z.string().nullable(),
    /** The resume ticket that its welcome will hand out; `null` once it has. */
    resume: z.object({ ticket: z.string(), hash: z.string() }).nullable(),
    accepted: z.number(),
    /** What it asked to hear of in its hello. */
    hears: z.array(z.enum(TOPICS)).default([]),
    /** What of MCP servers' questions it said it answers. */
    answers: z.array(z.enum(SERVER_ACTIONS)).default([]),
    /** When the key behind it was last found good. */
    checked: z.number(),
    /** Bytes it was sent and has not said it has read. */
    unread: z.number().default(0),
    /** The mark that it was sent last and has not sent back. */
    mark: z
      .object({
        value: z.string(),
        /** What was unread when it was sent. */
        unread: z.number(),
        /** When it was sent; `null` once there was a sign of life since. */
        at: z.number().nullable(),
      })
      .nullable()
      .default(null),
  }),
);

export type Holder = z.infer<typeof holderSchema>;

/** The socket's grant, as its resume ticket will carry it. */
export function resumeGrant(holder: Holder): Grant {
  return { ...holder.grant, origin: holder.origin, pinned: true, follows: holder.id };
}

const NEVER = Number.POSITIVE_INFINITY;

export function nextDeadline(holder: Holder): number {
  return Math.min(helloDeadline(holder), signDeadline(holder), keyCheckDeadline(holder));
}

export function helloDeadline({ resume, accepted }: Holder): number {
  return resume === null ? NEVER : accepted + DURATIONS.hello;
}

export function signDeadline({ mark }: Holder): number {
  return mark?.at == null ? NEVER : mark.at + DURATIONS.unread;
}

export function keyCheckDeadline({ resume, checked }: Holder): number {
  return resume === null ? checked + DURATIONS.keyCheck : NEVER;
}
