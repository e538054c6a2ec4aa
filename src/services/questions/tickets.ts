// Tickets for the conversation's socket: made for a page that has no key, used once, kept only as digests.

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

/** A ticket before it counts: made ahead, since digests take a moment and a welcome must not be interrupted. */
export interface Draft {
  ticket: string;
  hash: string;
}

/** Drafts one. Without a secret of the deployment it is one that may be refused: its page then asks for another. */
export async function draftTicket(settings: Settings, session: Session): Promise<Draft> {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const body = ticketBody({ userId: session.userId, conversation: session.id }, hexOf(random));
  const ticket = writeTicket(body, await markTicket(settings, body));
  return { ticket, hash: await sha256Hex(ticket) };
}

/** Makes a draft count until `expires`. */
export function issueTicket(session: Session, hash: string, grant: Grant, expires: number, now: number): void {
  session.store.atomically(() => {
    session.store.tickets.prune(now, QUESTION_LIMITS.tickets - 1);
    session.store.tickets.put(hash, expires, grant);
  });
}

/** What a ticket is to be good for. */
export interface TicketRequest {
  /** The page's; `null` where each that is allowed will do. */
  origin: string | null;
  /** Whose answers by its socket are; the caller's where it is `null`. */
  user_id: string | null;
  /** Whether the page may see what calls were given and have answered. */
  output: boolean;
}

/** A ticket for one page, good for a minute. */
export async function makeTicket(
  context: Context,
  session: Session,
  { origin, user_id, output }: TicketRequest,
): Promise<{ ticket: string; expires: number }> {
  const { principal } = context.caller;
  if (deploymentSecret(context.settings) === undefined) {
    const message = "Tickets need a secret of the deployment: the operator must set SECRETS_KEY.";
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
