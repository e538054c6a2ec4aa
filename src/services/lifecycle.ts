// A conversation's beginning and end: its settings, its place in the user's list, and its going when nobody uses it.

import { type ConversationSettings, mergeSettings } from "../domain/conversation";
import { GatewayError, type Issue, invalid } from "../domain/errors";
import { checkGhostSpec } from "../domain/ghost";
import { readGhost } from "../storage/catalog";
import type { ConversationStore } from "../storage/conversation";
import { deleteConversationRow, insertConversationRow } from "../storage/conversations";
import type { Context } from "./context";
import { conversationNotFound, createSession, type Session } from "./session";

const DAY_MS = 24 * 60 * 60_000;

/** Creates the conversation, or changes its settings. They take effect with the next turn. */
export async function putConversation(
  context: Context,
  session: Session | null,
  store: ConversationStore,
  id: string,
  settings: ConversationSettings,
  replace: boolean,
): Promise<{ session: Session; created: boolean }> {
  const next = session === null || replace ? settings : mergeSettings(session.settings, settings);
  await checkSource(context, next, session?.settings ?? null);
  const open = session ?? createSession(store, context.caller.principal.userId, id, next, context.now());
  if (session !== null && JSON.stringify(next) !== JSON.stringify(session.settings)) {
    store.set("settings", next);
    session.settings = next;
  }
  await listOnce(context, open);
  return { session: open, created: session === null };
}

/** Puts the conversation into its user's list, unless it is there. Until that succeeds every change tries again. */
export async function listOnce(context: Context, session: Session): Promise<void> {
  if (session.listed) return;
  await insertConversationRow(context.db, {
    userId: session.userId,
    id: session.id,
    ghost: session.settings.ghost ?? null,
    createdAt: context.now(),
  });
  session.store.set("listed", true);
  session.listed = true;
}

/** Takes the conversation off the list; its store is the caller's to empty. In this order a failure can be tried again. */
export async function unlist(context: Pick<Context, "db">, session: Session): Promise<void> {
  await deleteConversationRow(context.db, session.userId, session.id);
}

/** When the conversation is to be deleted if nothing happens until then, in milliseconds since the epoch. */
export function idleDeadline(session: Session, days: number): number {
  return session.store.lastChange() + days * DAY_MS;
}

/** Throws unless a session is there: a conversation nobody created, or that is somebody else's. */
export function required(session: Session | null): Session {
  if (session === null) throw conversationNotFound();
  return session;
}

async function checkSource(
  context: Context,
  next: ConversationSettings,
  known: ConversationSettings | null,
): Promise<void> {
  if (next.spec !== undefined) {
    const issues = checkGhostSpec(next.spec).map((issue): Issue => ({ ...issue }));
    if (issues.length > 0) throw invalid(issues);
  }
  if (next.ghost === undefined || next.ghost === known?.ghost) return;
  const ghost = await readGhost(context.db, context.caller.principal.userId, next.ghost);
  if (ghost === null) throw new GatewayError("not_found", "GHOST_NOT_FOUND", `There is no ghost '${next.ghost}'.`);
}
