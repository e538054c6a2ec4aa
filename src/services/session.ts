// A conversation in memory: its store, and the state computed from its events. Lost with the object and read again.

import * as z from "zod";
import { effectiveFacts, joined, type Newest } from "../domain/access/newest-identity";
import { conversationFull } from "../domain/access/quota";
import type { SkillRef } from "../domain/catalog/skill-ref";
import { type View, viewSchema } from "../domain/catalog/view";
import { activeSkills, apply, type ConversationState } from "../domain/conversation/activation";
import type { ConversationEvent } from "../domain/conversation/event";
import { type ConversationSettings, conversationSettingsSchema } from "../domain/conversation/settings";
import { GatewayError } from "../domain/errors";
import { CONVERSATION_LIMITS } from "../domain/limits";
import type { ServerFrame, Topic } from "../domain/questions/frame";
import type { ConversationStore } from "../storage/object/conversation";
import type { Caller, Context } from "./context";
import { snapshotWhenDue, stateAt } from "./history";
import { scheduleFiguresReport } from "./list-figures";
import { emptyMemory, type SessionMemory } from "./session-memory";
import { scheduleUses, usesAfter, usesOf, writeUses } from "./skill-use";

export interface Session {
  /** The owner's user id and the conversation's id, which form the object's name. */
  readonly userId: string;
  readonly id: string;
  readonly store: ConversationStore;
  state: ConversationState;
  /** As last set; applies from the next turn on. */
  settings: ConversationSettings;
  /** The settings of the current turn. */
  effective: ConversationSettings;
  view: View | null;
  /** Whether the conversation is in its user's list. */
  listed: boolean;
  /** Whether `auto` is the default delivery in every format. Decided when the conversation is created. */
  readonly defaultsToAuto: boolean;
  /** The conversation was deleted while a request uses it: nothing can be written any more. */
  ended: boolean;
  /** The tail of the queue of exclusive changes. */
  queue: Promise<unknown>;
  /** Created and dropped with the session. */
  readonly memory: SessionMemory;
  /** Pages with subscriptions; absent if no page can connect. */
  audience?: Audience;
  /** Called after every change of the state, the view, or what servers offer. */
  changed?: (context: Context) => void;
  /** Called when a server announces changed resources or prompts. */
  otherThings?: () => void;
  /** Called when a new task is scheduled. */
  scheduled?: (due: number) => void;
}

type SkillVersion = Pick<SkillRef, "name" | "skill_id" | "version_id">;

const ownerSchema = z.lazy(() => z.object({ user_id: z.string(), id: z.string() }));

/** All facts of a conversation in one row, because each written row costs. */
const aboutSchema = z.object({
  owner: ownerSchema,
  created: z.number(),
  settings: conversationSettingsSchema,
  /** Absent if equal to `settings`. */
  effective: conversationSettingsSchema.optional(),
  listed: z.boolean(),
  /** Absent in conversations of earlier gateways. */
  defaults_to_auto: z.boolean().default(false),
});

/** Reads a conversation from its store; `null` if it was never created. */
export function openSession(store: ConversationStore): Session | null {
  if (!store.exists()) return null;
  const about = store.get("about", aboutSchema) ?? aboutBefore(store);
  if (about === null) return null;
  const { owner, settings, listed, defaults_to_auto } = about;
  const view = store.get("catalog", viewSchema);
  return {
    userId: owner.user_id,
    id: owner.id,
    store,
    state: stateAt(store),
    settings,
    effective: about.effective ?? settings,
    view,
    listed,
    defaultsToAuto: defaults_to_auto,
    ended: false,
    queue: Promise.resolve(),
    memory: emptyMemory(view?.newest ?? null),
  };
}

/** Reads the rows of an earlier gateway. They stay until the conversation changes. */
function aboutBefore(store: ConversationStore): z.infer<typeof aboutSchema> | null {
  const owner = store.get("owner", ownerSchema);
  if (owner === null) return null;
  const settings = store.get("settings", conversationSettingsSchema) ?? {};
  return {
    owner,
    created: store.created(),
    settings,
    effective: store.get("effective", conversationSettingsSchema) ?? settings,
    listed: store.get("listed", z.boolean()) ?? false,
    defaults_to_auto: false,
  };
}

/** Stores the session's facts: settings, and whether it is listed. */
export function storeSessionFacts({ userId, id, store, settings, effective, listed, defaultsToAuto }: Session): void {
  const same = JSON.stringify(effective) === JSON.stringify(settings);
  const about = {
    ...{ owner: { user_id: userId, id }, created: store.created(), settings, listed },
    defaults_to_auto: defaultsToAuto,
  };
  store.set("about", same ? about : { ...about, effective });
}

/** Makes these settings the current ones. */
export function applySettings(session: Session, settings: ConversationSettings): void {
  if (JSON.stringify(session.effective) === JSON.stringify(settings)) return;
  session.effective = settings;
  storeSessionFacts(session);
}

/** Creates the tables of a conversation that is in its user's list. `openSession` reads them. */
export function createSession(
  store: ConversationStore,
  userId: string,
  id: string,
  settings: ConversationSettings,
  now: number,
): void {
  store.atomically(() => {
    store.create();
    const owner = { user_id: userId, id };
    store.set("about", { owner, created: now, settings, listed: true, defaults_to_auto: true });
  });
}

/** Appends events, applies them and counts skill usage, as one change. A load is recorded with the model step that requested it. */
export function record(session: Session, context: Context, happened: readonly ConversationEvent[]): void {
  if (session.ended) throw conversationNotFound();
  const { store, state, memory } = session;
  const step = memory.step === null ? {} : { step: { at: memory.step.at, alone: memory.step.alone } };
  const events = happened.map((event) => (event.type === "loaded" ? { ...event, ...step } : event));
  requireRoom(session);
  const next = events.reduce(apply, state);
  const now = context.now();
  const before = usesOf(session);
  const uses = usesAfter(before, state, events, now);
  store.atomically(() => {
    let last = 0;
    for (const event of events) last = store.log.append(now, event);
    // Counts can be computed from events. They are stored from time to time, to limit the events read for it.
    if (snapshotWhenDue(store, last - events.length, last, next)) writeUses(store, uses);
  });
  memory.uses = { kept: uses };
  session.state = next;
  scheduleUses(session, before, uses);
  if (events.some(({ type }) => type === "turn" || type === "restored")) scheduleFiguresReport(session);
  session.changed?.(context);
}

/** Throws if the conversation stores the maximum size. */
export function requireRoom({ store }: Session): void {
  const used = store.bytes();
  if (used > CONVERSATION_LIMITS.storedBytes) throw conversationFull(used);
}

/** Records the use of an active skill. Nothing is written if it is already the most recently used one. */
export function recordUse(session: Session, context: Context, name: string): void {
  const { state } = session;
  if (!activeSkills(state).some(({ skill }) => skill.name === name)) return;
  const before = state.touched.get(name);
  if (before !== undefined && before === Math.max(...state.touched.values())) return;
  record(session, context, [{ type: "touched", turn: state.turn, name }]);
}

/** Returns the version that the conversation has loaded, otherwise the catalog's. */
export function loadedVersion(session: Session | null, listed: SkillVersion): SkillVersion {
  if (session === null) return listed;
  return activeSkills(session.state).find(({ skill }) => skill.name === listed.name)?.skill ?? listed;
}

/** Whether a skill is active in the conversation, if there is one. */
export function isActiveIn(session: Session | null, name: string): boolean {
  return session !== null && activeSkills(session.state).some(({ skill }) => skill.name === name);
}

/**
 * Returns a function for the caller's identity, updated to the newest one that reached the conversation. Called repeatedly, because a newer
 * one may arrive while a request waits.
 */
export function callerIn(open: () => Session | null, caller: Caller, now: () => number): () => Caller {
  let known: { newest: Newest | null; caller: Caller } | null = null;
  return () => {
    const memory = open()?.memory;
    if (memory === undefined) return caller;
    if (known === null) memory.newest = joined(memory.newest, caller, now());
    const { newest } = memory;
    if (known === null || known.newest !== newest)
      known = { newest, caller: { ...caller, ...effectiveFacts(newest, caller, now()) } };
    return known.caller;
  };
}

/**
 * Runs a change after all earlier ones have finished. Changes await D1, and a Durable Object accepts other requests meanwhile; deciding and
 * recording must not interleave.
 */
export function exclusively<T>(session: Pick<Session, "queue">, change: () => Promise<T>): Promise<T> {
  const result = session.queue.then(change);
  session.queue = result.catch(() => undefined);
  return result;
}

/** The error for a conversation that does not exist or belongs to another user. */
export function conversationNotFound(): GatewayError {
  return new GatewayError(
    "not_found",
    "CONVERSATION_NOT_FOUND",
    "Conversation not found. Send `conversation: {}` with the first turn to create it.",
  );
}

export interface Audience {
  /** Sends each subscriber what it can see; `null`: nothing. Computed only if there are subscribers. */
  show(topic: Topic, frameFor: (seesOutput: boolean) => ServerFrame | null): void;
}
