// The state of a socket during hibernation, and when it must be checked next.

import * as z from "zod";
import { DURATIONS } from "../domain/durations";
import { TOPICS } from "../domain/questions/frame";
import { SERVER_ACTIONS } from "../domain/questions/question";
import { type Grant, grantSchema } from "../domain/questions/ticket";

/** What a socket stores during hibernation. Validated when it is read, because an older gateway may have written it. */
export const holderSchema = z.lazy(() =>
  z.object({
    id: z.string(),
    grant: grantSchema,
    /** Its origin; its resume ticket is valid only there. */
    origin: z.string().nullable(),
    /** The resume ticket for the welcome frame; `null` after it was sent. */
    resume: z.object({ ticket: z.string(), hash: z.string() }).nullable(),
    accepted: z.number(),
    /** Subscribed topics. */
    hears: z.array(z.enum(TOPICS)).default([]),
    /** Questions of MCP servers that the page answers. */
    answers: z.array(z.enum(SERVER_ACTIONS)).default([]),
    /** Time of the last successful check of the key. */
    checked: z.number(),
    /** Bytes sent and not acknowledged. */
    unread: z.number().default(0),
    /** The last mark that was sent and not returned. */
    mark: z
      .object({
        value: z.string(),
        /** Unacknowledged bytes when the mark was sent. */
        unread: z.number(),
        /** Time when it was sent; `null` after the page has sent something since. */
        at: z.number().nullable(),
      })
      .nullable()
      .default(null),
  }),
);

export type Holder = z.infer<typeof holderSchema>;

/** Returns the socket's grant for its resume ticket. */
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
