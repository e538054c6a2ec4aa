// Creates tickets for a conversation's socket: for pages without a key, single-use, stored as digests.

import { hexOf, sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { QUESTION_LIMITS } from "../../domain/questions/limits";
import { type Grant, ticketBody, writeTicket } from "../../domain/questions/ticket";
import type { Settings } from "../../domain/settings/settings";
import { credentialOf } from "../access/credential";
import type { Context } from "../context";
import { deploymentSecret } from "../secrets/derived-key";
import type { Session } from "../session";
import { markTicket } from "./ticket-mac";

/**
 * A ticket before it becomes valid. Prepared in advance, because computing digests is asynchronous and must not interrupt the welcome
 * frame.
 */
export interface Draft {
  ticket: string;
  hash: string;
}

/** Prepares a ticket. Without a deployment secret it may be rejected later; its page then requests another one. */
export async function draftTicket(settings: Settings, session: Session): Promise<Draft> {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const body = ticketBody({ userId: session.userId, conversation: session.id }, hexOf(random));
  const ticket = writeTicket(body, await markTicket(settings, body));
  return { ticket, hash: await sha256Hex(ticket) };
}

/** Makes a prepared ticket valid until `expires`. */
export function issueTicket(session: Session, hash: string, grant: Grant, expires: number, now: number): void {
  session.store.atomically(() => {
    session.store.tickets.prune(now, QUESTION_LIMITS.tickets - 1);
    session.store.tickets.put(hash, expires, grant);
  });
}

/** The requested rights of a ticket. */
export interface TicketRequest {
  /** The page's origin; `null` permits every allowed origin. */
  origin: string | null;
  /** The user whose answers come from this socket; `null`: the caller. */
  user_id: string | null;
  /** Whether the page can see arguments and results of calls. */
  output: boolean;
}

/** Creates a ticket for one page, valid for one minute. */
export async function makeTicket(
  context: Context,
  session: Session,
  { origin, user_id, output }: TicketRequest,
): Promise<{ ticket: string; expires: number }> {
  const { principal } = context.caller;
  if (deploymentSecret(context.settings) === undefined) {
    const message = "Tickets are not available. The operator must set SECRETS_KEY.";
    throw new GatewayError("unavailable", "TICKETS_UNAVAILABLE", message);
  }
  const credential = await credentialOf(context.settings, principal);
  const { ticket, hash } = await draftTicket(context.settings, session);
  const now = context.now();
  const expires = now + DURATIONS.ticket;
  const grant = { credential, user_id: user_id ?? principal.userId, origin, pinned: origin !== null, output };
  issueTicket(session, hash, grant, expires, now);
  return { ticket, expires };
}
