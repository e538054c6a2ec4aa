// Creates, changes and deletes conversations: settings, list entry, and deletion when idle.

import { userScope, visibleScopes } from "../../domain/access/access";
import { dailyLimitExceeded, dailyLimits, dayOf } from "../../domain/access/quota";
import { checkGhostSpec, inlineSpec } from "../../domain/catalog/ghost";
import { type PickedSkill, pickedOf } from "../../domain/catalog/pin";
import type { View } from "../../domain/catalog/view";
import { type ConversationSettings, mergeSettings, withSamePlace } from "../../domain/conversation/settings";
import { GatewayError, type Issue, invalid } from "../../domain/errors";
import { createConversationRow, deleteConversationRow, putConversationRow } from "../../storage/d1/conversations";
import { storageDown } from "../../storage/d1/database";
import { readGhost } from "../../storage/d1/views";
import type { ConversationStore } from "../../storage/object/conversation";
import { deleteRunObjects } from "../../storage/r2/run-files";
import { preloadIssues, tokenWarnings } from "../catalog/preload";
import { NOTHING_WITH_VIEW, readView } from "../catalog/read-view";
import type { Caller, Context } from "../context";
import { conversationNotFound, createSession, type Session, storeSessionFacts } from "../session";

const DAY_MS = 24 * 60 * 60_000;

/** The place of an existing or new conversation. */
interface Place {
  id: string;
  store: ConversationStore;
  /** Its session, if it exists by now. */
  open(): Session | null;
}

/** The requested state of a conversation. */
export interface Put {
  settings: ConversationSettings;
  /** Removes settings that are not given. */
  replace?: boolean;
  /** Skills that its first turn selects; `null`: no turn yet. */
  selected: readonly PickedSkill[] | null;
}

/** Creates the conversation, or changes its settings from the next turn on. */
export async function putConversation(
  context: Context,
  { id, store, open }: Place,
  { settings, replace = false, selected }: Put,
): Promise<{ session: Session; created: boolean }> {
  checkBudget(context, settings);
  const changed = (old: Session | null) => {
    if (old === null) return madeIn(context, settings);
    return withSamePlace(old.settings, replace ? settings : mergeSettings(old.settings, settings));
  };
  const old = open();
  let ahead: View | null = null;
  if (old !== null) await checkSource(context, changed(old), old.settings);
  else {
    await checkSpec(context, settings);
    if (context.caller.stale) throw storageDown();
    // Reads the view in parallel. If that fails, the code that needs it reads it again and reports the error.
    const picked = selected === null ? null : pickedOf(selected, userScope(context.caller.principal.userId));
    const contents = picked?.map(({ name }) => name) ?? null;
    const reading = readView(context, settings, {
      ...NOTHING_WITH_VIEW,
      contents,
      conversation: `${context.caller.principal.userId}/${id}`,
    }).catch(() => null);
    await enlist(context, id, settings);
    ahead = await reading;
  }
  // Another request may have created or deleted the conversation during the reads.
  const known = open();
  const next = changed(known);
  if (known === null && context.caller.stale) throw storageDown();
  if (known === null) {
    createSession(store, context.caller.principal.userId, id, next, context.now());
    context.count("conversations", []);
  }
  const session = requireSession(open());
  if (known === null) session.memory.ahead = ahead;
  if (JSON.stringify(next) !== JSON.stringify(session.settings)) {
    const { ghost, title } = session.settings;
    if (next.ghost !== ghost || next.title !== title) session.listed = false;
    session.settings = next;
    storeSessionFacts(session);
  }
  await listOnce(context, session);
  return { session, created: known === null };
}

/**
 * Adds a conversation to the list before it is created, so that an erasure of the user finds it. An entry without a conversation is
 * harmless. Checks in the same round trip that everything named by the settings exists.
 */
async function enlist(context: Context, id: string, settings: ConversationSettings): Promise<void> {
  const ghost = settings.ghost ?? null;
  const now = context.now();
  const { principal } = context.caller;
  const row = { userId: principal.userId, id, ghost, createdAt: now, title: settings.title ?? null };
  const limit = dailyLimits(context.settings).conversations;
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  const found = await createConversationRow(context.db, row, dayOf(now), limit, {
    scopes: visibleScopes(principal),
    ghost,
    preload: { names: settings.spec?.preload_skills ?? [], most: ceiling },
  });
  const issues = tokenWarnings(found.leastTokens, ceiling);
  if (issues.length > 0) throw invalid(issues);
  if (!found.isGhostThere) throw ghostNotFound(ghost ?? "");
  if (found.count > limit) throw dailyLimitExceeded("conversations", limit, now);
}

/** Adds the conversation to the user's list unless it is there. Every change retries until this succeeds. */
async function listOnce(context: Context, session: Session): Promise<void> {
  if (session.listed) return;
  const { ghost = null, title = null } = session.settings;
  const row = { userId: session.userId, id: session.id, ghost, createdAt: context.now(), title };
  await putConversationRow(context.db, row);
  if ((session.settings.ghost ?? null) !== ghost || (session.settings.title ?? null) !== title) return;
  session.listed = true;
  storeSessionFacts(session);
}

/**
 * Removes the conversation and its script files from the list; the caller empties its store. In this order, a failure can be retried.
 * Remaining objects have no row and are deleted by the sweep.
 */
export async function removeFromList(
  context: Pick<Context, "db" | "packages" | "timings"> & { caller?: Caller },
  session: Pick<Session, "userId" | "id">,
): Promise<null> {
  if (context.caller?.stale) throw storageDown();
  const objects = await deleteConversationRow(context.db, session.userId, session.id);
  await deleteRunObjects(context.packages, context.timings, objects);
  return null;
}

/** Returns when the conversation is deleted if nothing happens before, in milliseconds since the epoch. */
export function idleDeadline(session: Session, days: number): number {
  return session.store.lastChange() + days * DAY_MS;
}

/** Returns the session. Throws if the conversation does not exist or belongs to somebody else. */
export function requireSession(session: Session | null): Session {
  if (session === null) throw conversationNotFound();
  return session;
}

/** Stores the region in which the conversation is created, unless it is the default. */
function madeIn({ settings: { CONVERSATION_REGION } }: Context, settings: ConversationSettings): ConversationSettings {
  const { region = CONVERSATION_REGION, ...rest } = settings;
  return region === "auto" ? rest : { ...rest, region };
}

function checkBudget(context: Context, { max_skill_tokens = 0 }: ConversationSettings): void {
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  if (max_skill_tokens <= ceiling) return;
  const message = `Value too large (limit ${ceiling} tokens of active instructions). Use a smaller value.`;
  throw invalid([{ code: "OVER_CEILING", message, path: "max_skill_tokens" }]);
}

/** Validates a spec: first its form, then all other problems together. */
async function checkSpec(context: Context, { spec }: ConversationSettings): Promise<void> {
  if (spec === undefined) return;
  const issues: Issue[] = checkGhostSpec(inlineSpec(spec));
  if (issues.length === 0) return;
  if (!context.caller.stale)
    issues.push(...(await preloadIssues(context, spec, visibleScopes(context.caller.principal))));
  throw invalid(issues);
}

async function checkSource(context: Context, next: ConversationSettings, known: ConversationSettings): Promise<void> {
  await checkSpec(context, next);
  const scopes = visibleScopes(context.caller.principal);
  // If the registry is unavailable, the conversation continues, and its next turn leaves out what exceeds the limits.
  if (next.spec !== undefined && !context.caller.stale && JSON.stringify(next.spec) !== JSON.stringify(known.spec)) {
    const issues = await preloadIssues(context, next.spec, scopes);
    if (issues.length > 0) throw invalid(issues);
  }
  if (next.ghost === undefined || next.ghost === known.ghost) return;
  if ((await readGhost(context.db, scopes, next.ghost)) === null) throw ghostNotFound(next.ghost);
}

function ghostNotFound(ghost: string): GatewayError {
  return new GatewayError("not_found", "GHOST_NOT_FOUND", `Agent (ghost) '${ghost}' not found. Check the name.`);
}
