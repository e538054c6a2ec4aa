// Creates the ticket with which a page connects, and prepares the page's first frames.

import { refusalIn } from "../../../domain/errors";
import { currentView } from "../../catalog/view";
import type { Context } from "../../context";
import { makeTicket, type TicketRequest } from "../../questions/tickets";
import type { Session } from "../../session";

/**
 * Creates a ticket. In parallel, reads the skills the conversation can use, so that a page's list exists before the first turn and is not
 * older than its ticket. If that fails, the page connects without it.
 */
export async function createPageTicket(
  context: Context,
  session: Session,
  request: TicketRequest,
): Promise<{ ticket: string; expires: number }> {
  const looked = currentView(context, session).catch((error: unknown) => {
    if (refusalIn(error) === null) throw error;
  });
  const [made] = await Promise.all([makeTicket(context, session, request), looked]);
  return made;
}
