// Returns the status of a conversation: now, at a past turn, and its event log.

import { namespaceOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import type { CatalogEntry } from "../../domain/catalog/catalog";
import { activeSkills, type ConversationState } from "../../domain/conversation/activation";
import type { Offered } from "../../domain/conversation/offered";
import { offeredBy } from "../../domain/conversation/servers";
import type { Issue } from "../../domain/errors";
import { GatewayError } from "../../domain/errors";
import type { JsonValue } from "../../domain/json";
import { CONVERSATION_LIMITS } from "../../domain/limits";
import { digestsIn } from "../catalog/lookups";
import { standingView } from "../catalog/view";
import type { Context } from "../context";
import { stateAt } from "../history";
import { pendingOf } from "../questions/views";
import { exclusively, type Session } from "../session";
import { offeredTools } from "../tools/offered";
import { billedReply, priceWarnings } from "./billing/reply";
import type {
  ActiveSkill,
  ConversationRecord,
  ConversationStatus,
  EventsReply,
  PastReply,
  ServerStatus,
  TaskSkillRef,
  TaskSkills,
} from "./replies";
import { traceOfPass } from "./trace";
import { restore } from "./turn";

/** Returns the current status without skills that are no longer visible. */
export async function statusOf(
  context: Context,
  session: Session,
  warnings: Issue[] = [],
): Promise<ConversationStatus> {
  const { view, state, warnings: more } = await standingView(context, session);
  const { tokens, ...rest } = storedStatus(session, state, context.now());
  return {
    ...rest,
    mcp: serversStatus(await offeredTools({ context, session, view, looks: true })),
    tokens,
    warnings: [...warnings, ...more, ...priceWarnings(state, context.now())],
  };
}

/** Returns the status after a history was restored. */
export async function restoredStatus(
  context: Context,
  session: Session,
  history: readonly JsonValue[],
): Promise<ConversationStatus> {
  const format = session.settings.format ?? "mcp";
  const warnings = await exclusively(session, () => restore(context, session, history, format));
  return statusOf(context, session, warnings);
}

/** Returns the stored part of the status, which does not depend on the caller or the registry. */
export function recordOf(context: Context, session: Session): ConversationRecord {
  return storedStatus(session, session.state, context.now());
}

function storedStatus(session: Session, state: ConversationState, now: number): ConversationRecord {
  const { id, settings } = session;
  return {
    id,
    turn: state.turn,
    ghost: settings.ghost ?? null,
    settings,
    region: settings.region ?? "auto",
    active: activeOf(state),
    pending: pendingOf(session, now),
    tokens: tokensOf(state),
  };
}

function serversStatus({ servers, tools }: Offered): ServerStatus[] {
  return servers.map(({ ref, state, error, latency }) => ({
    server: ref.name,
    source: offeredBy(ref),
    state,
    tools: tools.flatMap(({ name, origin }) => ("server" in origin && origin.server === ref ? name : [])),
    ...(error === null ? {} : { error }),
    ...(latency === null ? {} : { latency_ms: latency }),
  }));
}

export function activeOf(state: ConversationState): ActiveSkill[] {
  return activeSkills(state).map(({ skill, remaining, reason, loaded_in_turn }) => ({
    skill: skill.name,
    version: skill.version,
    remaining,
    reason,
    loaded_in_turn,
    tokens: skill.tokens,
    ...(skill.candidate === true ? { candidate: true } : {}),
  }));
}

/** Returns the skills loaded in this turn that are still active, to be stored with the assistant's message. */
export function loadedInTurn(state: ConversationState): string[] {
  return [...state.roots].filter(([, turn]) => turn === state.turn).map(([name]) => name);
}

export function turnNotFound(turn: number): GatewayError {
  const message = `Turn ${turn} not found in this conversation. Check its number.`;
  return new GatewayError("not_found", "TURN_NOT_FOUND", message);
}

export function pastOf(session: Session, turn: number): PastReply {
  const pass = session.store.log.passOf(turn);
  if (pass === null) throw turnNotFound(turn);
  const state = stateAt(session.store, pass.end);
  return { turn, active: activeOf(state), tokens: tokensOf(state), steps: traceOfPass(session, pass) };
}

export function eventsOf(session: Session, after: number, limit: number): EventsReply {
  const { log } = session.store;
  const page = log.after(after, limit, CONVERSATION_LIMITS.eventsPageChars);
  const last = page.at(-1)?.seq ?? null;
  const next = last === null || last === log.last() ? null : last;
  return {
    events: page.map(({ seq, at, event }) => ({ seq, at: new Date(at).toISOString(), ...event })),
    next_cursor: next,
  };
}

/** Returns the conversation's skills in the format for Wegent's executors. */
export async function taskSkillsOf(context: Context, session: Session): Promise<TaskSkills> {
  const { view, state } = await standingView(context, session);
  const entries = view.catalog.entries;
  // Skills added during a turn are selected from the next turn on, but an executor deploys them immediately.
  const selected = [...new Set([...view.added, ...state.selected])];
  const first = new Set([...view.preload, ...selected]);
  const preloaded = entries.filter((entry) => first.has(entry.name));
  const ids = entries.map((entry) => entry.version_id);
  // While the registry is unavailable, an executor keeps what it has.
  const hashes = context.caller.stale ? new Map<string, string>() : await digestsIn(context, view, ids);
  const refOf = (entry: CatalogEntry) => [entry.name, taskRef(entry, hashes.get(entry.version_id) ?? null)];
  return {
    task_id: session.id,
    skills: entries.map((entry) => entry.name),
    preload_skills: preloaded.map((entry) => entry.name),
    skill_refs: Object.fromEntries(entries.map(refOf)),
    preload_skill_refs: Object.fromEntries(preloaded.map(refOf)),
    user_selected_skills: selected,
  };
}

function taskRef(entry: CatalogEntry, contentHash: string | null): TaskSkillRef {
  return {
    skill_id: entry.skill_id,
    namespace: namespaceOfScope(entry.scope),
    is_public: entry.scope === PUBLIC_SCOPE,
    version_id: entry.version_id,
    content_hash: contentHash,
  };
}

function tokensOf(state: ConversationState): ConversationStatus["tokens"] {
  const { tokens } = state;
  const saved = tokens.static === 0 ? 0 : (1 - tokens.actual / tokens.static) * 100;
  return { ...tokens, saved_percent: Math.round(saved * 10) / 10, billed: billedReply(state) };
}
