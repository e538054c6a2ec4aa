// The end of what a conversation holds elsewhere: servers keep a session for it, some a process.

import type { Upstream } from "../../upstream/client";
import { audited, conversationInLog } from "../audit";
import type { Context } from "../context";
import { sessionsOf } from "../servers/connections";
import type { Session } from "../session";
import { sourcesOf } from "../tools/sources";
import { removeFromList } from "./lifecycle";

/**
 * Finds the sessions that a conversation holds, while its store is there. What it gives tells their servers that they are over: to be
 * called once the conversation is gone. Nobody waits for it.
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
  return sessionsOf(context, session, servers);
}

/** Deletes a conversation: off its user's list first, then its store. In this order a failure can be tried again. */
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
