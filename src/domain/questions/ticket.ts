// Tickets: a page opens one socket with a ticket instead of a key. A ticket names its conversation, so that the gateway can find the
// Durable Object. The gateway's signature proves that it created the ticket; the object stores the digests of valid tickets.

import * as z from "zod";
import { decodeCursor, encodeCursor } from "../cursor";
import { GatewayError } from "../errors";

/** Prefix of a ticket that is sent as a sub-protocol. All characters are allowed in HTTP tokens. */
export const TICKET_PREFIX = "ticket.";

/** The maximum length of ids, so that a forged ticket cannot contain more. */
const claim = z.string().min(1).max(128);
const claimsSchema = z.lazy(() => z.tuple([claim, claim]));

export interface TicketClaims {
  userId: string;
  conversation: string;
}

/** The rights of a ticket, as the object stores them. */
export const grantSchema = z.lazy(() =>
  z.object({
    /** The key that created it, see `services/access/credential.ts`. */
    credential: z.string(),
    /** Recorded as the user who answered. */
    user_id: z.string(),
    /** If set, only this origin is accepted; `null` means no origin. Otherwise every allowed origin is accepted. */
    origin: z.string().nullable(),
    pinned: z.boolean(),
    /** Whether the page can see arguments and results of calls. Tickets of earlier gateways do not have it. */
    output: z.boolean().default(false),
    /** For a resume ticket: the socket it was issued to, which closes when the ticket is used. */
    follows: z.string().optional(),
  }),
);

export type Grant = z.infer<typeof grantSchema>;

/** A parsed ticket: its claims, and the text that its signature covers. */
export interface ReadTicket extends TicketClaims {
  body: string;
  /** base64url of 32 bytes. */
  mark: string;
}

/** A ticket without its signature. */
export function ticketBody(claims: TicketClaims, secret: string): string {
  return `${encodeCursor([claims.userId, claims.conversation])}.${secret}`;
}

/** Returns a ticket: body and signature. All characters are allowed in HTTP tokens. */
export function writeTicket(body: string, mark: string): string {
  return `${body}.${mark}`;
}

/** Returns the claims of a ticket, or `null` if the text is not a ticket. */
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

/** Whether a socket from this origin can use the grant. `allowed`: the settings allow the origin. */
export function admits(grant: Grant, origin: string | null, allowed: boolean): boolean {
  return grant.pinned ? origin === grant.origin : origin === null || allowed;
}
