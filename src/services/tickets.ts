// Tickets for the conversation's socket: made for a page that has no key, used once, kept only as digests.

import { hexOf, sha256Hex } from "../domain/digest";
import { ASKING_LIMITS, DURATIONS } from "../domain/limits";
import { type Grant, writeTicket } from "../domain/ticket";
import type { Context } from "./context";
import { credentialOf } from "./credential";
import type { Session } from "./session";

/** A ticket before it counts: made ahead, since digests take a moment and a welcome must not be interrupted. */
export interface Draft {
  ticket: string;
  hash: string;
}

export async function draftTicket(session: Session): Promise<Draft> {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const secret = hexOf(random);
  const ticket = writeTicket({ userId: session.userId, conversation: session.id }, secret);
  return { ticket, hash: await sha256Hex(ticket) };
}

/** Makes a draft count until `expires`. */
export function issueTicket(session: Session, hash: string, grant: Grant, expires: number, now: number): void {
  session.store.atomically(() => {
    session.store.tickets.prune(now, ASKING_LIMITS.tickets - 1);
    session.store.tickets.put(hash, expires, grant);
  });
}

/** A ticket for a page of this origin, or of any allowed one, good for a minute. Answers by its socket are `userId`'s. */
export async function makeTicket(
  context: Context,
  session: Session,
  origin: string | null,
  userId: string | null,
): Promise<{ ticket: string; expires: number }> {
  const { principal } = context.caller;
  const credential = await credentialOf(context.settings, principal);
  const { ticket, hash } = await draftTicket(session);
  const now = context.now();
  const expires = now + DURATIONS.ticket;
  const grant = { credential, user_id: userId ?? principal.userId, origin, pinned: origin !== null };
  issueTicket(session, hash, grant, expires, now);
  return { ticket, expires };
}
