// Tickets: what lets a page open one socket without a key. A ticket names its conversation, so that the gateway can find the
// object that knows it. The gateway's mark on it says that the gateway made it; whether it still counts only that object knows,
// which keeps the digests of its tickets.

import * as z from "zod";
import { decodeCursor, encodeCursor } from "../cursor";
import { GatewayError } from "../errors";

/** A ticket travels as a sub-protocol with this prefix; all of it are characters of an HTTP token. */
export const TICKET_PREFIX = "ticket.";

/** As long as ids may be: a forged ticket names no more than that. */
const claim = z.string().min(1).max(128);
const claimsSchema = z.lazy(() => z.tuple([claim, claim]));

export interface TicketClaims {
  userId: string;
  conversation: string;
}

/** What a ticket lets its holder do, as the object keeps it. */
export const grantSchema = z.lazy(() =>
  z.object({
    /** The key behind it, see `services/access/credential.ts`. */
    credential: z.string(),
    /** Recorded as who answered. */
    user_id: z.string(),
    /** Pinned: only this origin, where `null` means no origin at all. Else every allowed one. */
    origin: z.string().nullable(),
    pinned: z.boolean(),
    /** Whether its holder may see what calls of tools were given and have answered. Tickets of earlier gateways say nothing of it. */
    output: z.boolean().default(false),
    /** Of a ticket to resume: the socket that it was given to, which ends when the ticket is used. */
    follows: z.string().optional(),
  }),
);

export type Grant = z.infer<typeof grantSchema>;

/** A ticket as it reads: what it claims, and what the gateway's mark has to be of. */
export interface ReadTicket extends TicketClaims {
  body: string;
  /** base64url of 32 bytes. */
  mark: string;
}

/** A ticket without its mark. */
export function ticketBody(claims: TicketClaims, secret: string): string {
  return `${encodeCursor([claims.userId, claims.conversation])}.${secret}`;
}

/** A ticket: body and mark. All of it are characters of an HTTP token. */
export function writeTicket(body: string, mark: string): string {
  return `${body}.${mark}`;
}

/** What a ticket claims, or `null` when it has not the form of one. */
export function readTicket(ticket: string): ReadTicket | null {
  const [claims, secret = "", mark = "", ...rest] = ticket.split(".");
  if (rest.length > 0 || !/^[0-9a-f]{64}$/.test(secret) || !/^[A-Za-z0-9_-]{43}$/.test(mark)) return null;
  try {
    const read = decodeCursor(claims, claimsSchema);
    return read === null ? null : { userId: read[0], conversation: read[1], body: `${claims}.${secret}`, mark };
  } catch (error) {
    if (error instanceof GatewayError) return null;
    throw error;
  }
}

/** Whether a socket from this origin may use the grant. `allowed`: the gateway's settings name the origin. */
export function admits(grant: Grant, origin: string | null, allowed: boolean): boolean {
  return grant.pinned ? origin === grant.origin : origin === null || allowed;
}
