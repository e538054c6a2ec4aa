// A conversation's beginning and end: its settings, its place in the user's list, and its going when nobody uses it.

import { visibleScopes } from "../../domain/access/access";
import { dailyLimits, dayOf, tooOften } from "../../domain/access/quota";
import { checkGhostSpec, inlineSpec } from "../../domain/catalog/ghost";
import { type ConversationSettings, mergeSettings } from "../../domain/conversation/settings";
import { GatewayError, type Issue, invalid } from "../../domain/errors";
import { readGhost } from "../../storage/d1/catalog";
import { deleteConversationRow, enlistConversation, putConversationRow } from "../../storage/d1/conversations";
import { storageDown } from "../../storage/d1/database";
import type { ConversationStore } from "../../storage/object/conversation";
import { preloadIssues } from "../catalog/preload";
import type { Caller, Context } from "../context";
import { conversationNotFound, createSession, type Session } from "../session";

const DAY_MS = 24 * 60 * 60_000;

/** Where a conversation is, or is made. */
interface Place {
  id: string;
  store: ConversationStore;
  /** Its session, if there is one by now. */
  open(): Session | null;
}

/** Creates the conversation, or changes its settings. They take effect with the next turn. */
export async function putConversation(
  context: Context,
  { id, store, open }: Place,
  settings: ConversationSettings,
  replace: boolean,
): Promise<{ session: Session; created: boolean }> {
  checkBudget(context, settings);
  const changed = (old: Session | null) => (old === null || replace ? settings : mergeSettings(old.settings, settings));
  await checkSource(context, changed(open()), open()?.settings ?? null);
  if (open() === null) {
    if (context.caller.stale) throw storageDown();
    await enlist(context, id, settings.ghost ?? null);
  }
  // All this may have waited for D1: by now another request may have created the conversation, or deleted it.
  const known = open();
  const next = changed(known);
  if (known === null && context.caller.stale) throw storageDown();
  if (known === null) createSession(store, context.caller.principal.userId, id, next, context.now());
  const session = required(open());
  if (JSON.stringify(next) !== JSON.stringify(session.settings)) {
    if (next.ghost !== session.settings.ghost) markListed(session, false);
    store.set("settings", next);
    session.settings = next;
  }
  await listOnce(context, session);
  return { session, created: known === null };
}

/**
 * Lists a conversation before it is made: what is made is in the list, where an erasure of its user finds it. One that was listed
 * and then never made is in nobody's way.
 */
async function enlist(context: Context, id: string, ghost: string | null): Promise<void> {
  const now = context.now();
  const row = { userId: context.caller.principal.userId, id, ghost, createdAt: now };
  const limit = dailyLimits(context.settings).conversations;
  const count = await enlistConversation(context.db, row, dayOf(now), limit);
  if (count > limit) throw tooOften("conversations", limit, now);
}

/** Puts the conversation into its user's list as it is, unless it is there. Until that succeeds every change tries again. */
async function listOnce(context: Context, session: Session): Promise<void> {
  if (session.listed) return;
  const ghost = session.settings.ghost ?? null;
  const row = { userId: session.userId, id: session.id, ghost, createdAt: context.now() };
  await putConversationRow(context.db, row);
  if ((session.settings.ghost ?? null) === ghost) markListed(session, true);
}

function markListed(session: Session, listed: boolean): void {
  session.store.set("listed", listed);
  session.listed = listed;
}

/** Takes the conversation off the list; its store is the caller's to empty. In this order a failure can be tried again. */
export async function unlist(
  context: Pick<Context, "db"> & { caller?: Caller },
  session: Pick<Session, "userId" | "id">,
): Promise<null> {
  if (context.caller?.stale) throw storageDown();
  await deleteConversationRow(context.db, session.userId, session.id);
  return null;
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

function checkBudget(context: Context, { max_skill_tokens = 0 }: ConversationSettings): void {
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  if (max_skill_tokens <= ceiling) return;
  const message = `At most ${ceiling} tokens of instructions may be active here.`;
  throw invalid([{ code: "OVER_CEILING", message, path: "max_skill_tokens" }]);
}

async function checkSource(
  context: Context,
  next: ConversationSettings,
  known: ConversationSettings | null,
): Promise<void> {
  if (next.spec !== undefined) {
    const issues: Issue[] = checkGhostSpec(inlineSpec(next.spec));
    const isKnown = JSON.stringify(next.spec) === JSON.stringify(known?.spec);
    // Without the registry the conversation goes on, and its next turn leaves out what is too much.
    if (!isKnown && !context.caller.stale)
      issues.push(...(await preloadIssues(context, next.spec, visibleScopes(context.caller.principal))));
    if (issues.length > 0) throw invalid(issues);
  }
  if (next.ghost === undefined || next.ghost === known?.ghost) return;
  const ghost = await readGhost(context.db, visibleScopes(context.caller.principal), next.ghost);
  if (ghost === null) throw new GatewayError("not_found", "GHOST_NOT_FOUND", `There is no ghost '${next.ghost}'.`);
}
