// Ends a conversation's sessions with MCP servers, which may hold a process for each.

import type { Upstream } from "../../upstream/client";
import { audited, conversationInLog } from "../audit";
import type { Context } from "../context";
import { loadConnections } from "../servers/late-connections";
import type { Session } from "../session";
import { sourcesOf } from "../tools/sources";
import { removeFromList } from "./lifecycle";

/**
 * Collects the sessions of a conversation while its store exists. Returns a function that ends them, to be called after the conversation is
 * deleted. Nothing waits for it.
 */
export async function closeSessions(context: Context, session: Session | null): Promise<() => null> {
  const held = session === null ? [] : await heldBy(context, session);
  return () => {
    for (const upstream of held) void upstream.end();
    return null;
  };
}

async function heldBy(context: Context, session: Session): Promise<Upstream[]> {
  const { view } = session;
  if (view === null || !session.store.upstreams.any()) return [];
  const { servers } = await sourcesOf({ context, session, view });
  return (await loadConnections()).sessionsOf(context, session, servers);
}

/** Deletes a conversation: first from the user's list, then its store, so that a failure can be retried. */
export async function removeConversation(
  context: Context,
  session: Session,
  empty: () => Promise<null>,
): Promise<null> {
  const db = audited(context, "conversation.delete", await conversationInLog(session));
  const leave = await closeSessions(context, session);
  await removeFromList({ ...context, db }, session);
  await empty();
  return leave();
}
