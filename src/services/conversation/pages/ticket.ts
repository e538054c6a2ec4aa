// A page's way in: its ticket, and what it will be told first.

import { refusalIn } from "../../../domain/errors";
import { currentView } from "../../catalog/view";
import type { Context } from "../../context";
import { makeTicket, type TicketRequest } from "../../questions/tickets";
import type { Session } from "../../session";

/**
 * Makes a ticket. The conversation looks what it may use meanwhile, so that a page's list is not older than its ticket, and there is one
 * before the first turn. A page comes in without it.
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
