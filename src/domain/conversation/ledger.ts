// Computes what a conversation is billed for its prompts, and what it would have cost in two other ways: with all instructions pasted into
// the system prompt, and with each loaded skill appended and never removed. The gateway does not see the requests, so they are modelled; if
// the caller reports the provider's counts, the model only provides the difference between the ways.

import type { SkillRef } from "../catalog/skill-ref";
import { type Carriers, presentVersion, textsInContext } from "./carriers";
import type { ConversationEvent, Policy } from "./event";
import type { CachedPart, Ledger, LedgerPrice, LedgerTotals, OpenRequest } from "./ledger-schema";
import { type CachePrice, writePrice } from "./prices";
import { sentTokens, type Usage } from "./usage";

/** Estimated tokens of a user message and an answer, and what remains of removed instructions. */
const MESSAGE_TOKENS = 260;
const ANSWER_TOKENS = 390;
const REPLACED_TOKENS = 25;
/** A call that loads a skill, and the message frame of its result. */
const LOAD_TOKENS = 60;
/** Number of appended versions that are tracked. Older ones count as new when loaded again. */
const REMEMBERED = 256;
/** Number of reports without cached tokens after which the caller counts as having no cache. */
const NO_CACHE = 3;

/** The part of the state that the ledger depends on, and the active skills. */
export interface LedgerContext {
  state: {
    policy: Policy | null;
    selected: readonly string[];
    delivered: ReadonlyMap<string, string>;
    carriers: Carriers;
    tokens: { static: number; actual: number };
    ledger: Ledger;
  };
  active: readonly Present[];
}

type Present = { skill: SkillRef; reason: string };
type EventOf<T extends ConversationEvent["type"]> = Extract<ConversationEvent, { type: T }>;

/** Updates the prompt tokens so far, with static injection of the whole catalog and as sent, after an event added to the prompt. */
export function promptTokens(
  before: LedgerContext,
  after: LedgerContext,
  event: ConversationEvent,
): LedgerContext["state"]["tokens"] {
  const { tokens } = before.state;
  if (event.type === "turn") {
    const sent = textsInContext(skillsOf(after.active), after.state.carriers);
    return { static: tokens.static + event.cost.static, actual: tokens.actual + event.cost.list + sizeOf(sent) };
  }
  if (event.type !== "loaded") return tokens;
  return { ...tokens, actual: tokens.actual + sizeOf(shownBy(event, before, after)) };
}

/** Returns what a result of `load_skill` adds to the next prompt. */
function shownBy(event: EventOf<"loaded">, before: LedgerContext, after: LedgerContext): SkillRef[] {
  if (after.state.policy?.delivery === "auto") return event.skills.filter(({ name }) => event.delivered.includes(name));
  const known = new Set(before.active.map(({ skill }) => skill.name));
  return skillsOf(after.active).filter(({ name }) => !known.has(name));
}

/** Returns the ledger after an event. Logs of earlier gateways do not contain costs, so their turns are not counted. */
export function charge(before: LedgerContext, after: LedgerContext, event: ConversationEvent): Ledger {
  const { ledger } = before.state;
  switch (event.type) {
    case "turn":
      return beginRequest(before, after, event);
    case "step":
      return follow(ledger, event.usage, event.step.at, event.step.alone);
    case "loaded": {
      const { step, used } = event;
      const isNew = step !== undefined && used !== true && ledger.open?.at !== step.at;
      const next = isNew ? follow(ledger, null, step.at, step.alone) : ledger;
      const loads = next.loads + (used === true ? 0 : 1);
      return laidOut(append({ ...next, loads, wanted_again: wantedAgain(before, event) }, after), before, after);
    }
    case "touched":
    case "unloaded":
      return laidOut(ledger, before, after);
    case "restored":
      return append({ ...closeRequest(ledger, null), before: null, appended: [], appended_tokens: 0 }, after);
  }
}

/** A turn begins: closes the last request of the previous turn and opens the next one. */
function beginRequest(before: LedgerContext, after: LedgerContext, event: EventOf<"turn">): Ledger {
  const { ledger: told, history, history_cut, cost } = event;
  let ledger = before.state.ledger;
  if (told === undefined) return { ...closeRequest(ledger, null), open: null };
  for (let step = 0; step < told.steps; step++) ledger = follow(ledger, null, ledger.open?.at ?? told.at, false);
  const last = ledger.open;
  const talk = talkAfter(ledger, told.usage, event.turn);
  const isLost = history_cut || history?.have?.length === 0;
  const closed = {
    ...closeRequest(ledger, told.usage),
    price: told.price,
    own: ledger.own ?? told.own,
    ...(isLost ? { appended: [], appended_tokens: 0 } : {}),
  };
  const next = append(closed, after);
  const { front, held } = layout(next, after);
  // The caller does not know yet what it is asked to append.
  const added = sizeOf(after.state.carriers.find(({ id }) => id === history?.append?.id)?.skills ?? []);
  const preloaded = tokensOf(after.active.filter(({ reason }) => reason === "preloaded"));
  const stable = {
    actual: told.shared + told.own,
    paste: told.shared,
    append_only: told.shared + (next.own ?? told.own),
  };
  const fronts = {
    actual: stable.actual + front,
    paste: told.shared + cost.static,
    append_only: stable.append_only + preloaded,
  };
  const most = told.cold ? "none" : isLost ? "front" : "all";
  const as = (isSame: boolean) => shorterCacheLifetime(most, isSame ? "all" : "stable");
  const isMoved = last !== null && last.stable.actual !== stable.actual;
  const isEdited = (history?.edits.length ?? 0) > 0;
  const open: OpenRequest = {
    at: told.at,
    extra: false,
    front: fronts,
    stable,
    held: { actual: held, paste: 0, append_only: heldAppended(next) },
    talk:
      told.history_tokens === null ? (isLost ? MESSAGE_TOKENS : talk) : Math.max(0, told.history_tokens - held + added),
    told: told.history_tokens !== null,
    kept: {
      // Tools and list come first, so another list makes another prompt.
      actual: isMoved ? "none" : shorterCacheLifetime(as(signOf(before) === signOf(after)), isEdited ? "front" : "all"),
      paste: as(last === null || last.front.paste === fronts.paste),
      append_only: as(last === null || last.front.append_only === fronts.append_only),
    },
  };
  return { ...next, open };
}

/** A model step: closes the previous request; the next request contains all of it. */
function follow(ledger: Ledger, usage: Usage | null, at: number, extra: boolean): Ledger {
  const { open } = ledger;
  if (open === null) return ledger;
  const closed = closeRequest(ledger, usage);
  const ttl = ledger.price?.ttl_ms ?? null;
  const each = ttl !== null && at - open.at > ttl ? "none" : "all";
  const kept = { actual: each, paste: each, append_only: each } as const;
  return { ...closed, open: { ...open, at, extra, talk: talkOf(closed, open, usage), kept } };
}

/** Returns the tokens of the next step's messages besides instructions. */
function talkOf({ before }: Ledger, open: OpenRequest, usage: Usage | null): number {
  if (usage === null || before === null) return open.talk;
  return before.sent.actual - open.front.actual - open.held.actual + usage.output;
}

/** Returns the same for the next turn. */
function talkAfter(ledger: Ledger, usage: Usage | null, turn: number): number {
  const { open } = ledger;
  if (open === null) return MESSAGE_TOKENS + (turn - 1) * (MESSAGE_TOKENS + ANSWER_TOKENS);
  const talk = talkOf(closeRequest(ledger, usage), open, usage);
  return talk + MESSAGE_TOKENS + (usage === null ? ANSWER_TOKENS : 0);
}

/**
 * Returns the skills whose instructions were sent again after removal, including this load's. A text that is still present is only a
 * repetition.
 */
function wantedAgain({ state }: LedgerContext, { skills, delivered }: EventOf<"loaded">): string[] {
  const { wanted_again, appended } = state.ledger;
  const again = skills.filter(
    ({ name, version_id }) =>
      delivered.includes(name) &&
      appended.includes(version_id) &&
      presentVersion(state.carriers, name)?.version_id !== version_id,
  );
  return [...new Set([...wanted_again, ...again.map(({ name }) => name)])].slice(-REMEMBERED);
}

/** Records active skills that were not appended yet: a caller that only appends does so now. */
function append(ledger: Ledger, { active }: LedgerContext): Ledger {
  const known = new Set(ledger.appended);
  const added = active.filter(({ skill, reason }) => reason !== "preloaded" && !known.has(skill.version_id));
  if (added.length === 0) return ledger;
  return {
    ...ledger,
    appended: [...ledger.appended, ...added.map(({ skill }) => skill.version_id)].slice(-REMEMBERED),
    appended_tokens: ledger.appended_tokens + tokensOf(added),
  };
}

/** Returns the open request after a skill became active or inactive. */
function laidOut(ledger: Ledger, before: LedgerContext, after: LedgerContext): Ledger {
  const { open } = ledger;
  if (open === null) return ledger;
  const { front, held } = layout(ledger, after);
  const isSame = signOf(before) === signOf(after);
  return {
    ...ledger,
    open: {
      ...open,
      front: { ...open.front, actual: open.stable.actual + front },
      held: { actual: held, paste: 0, append_only: heldAppended(ledger) },
      kept: { ...open.kept, actual: shorterCacheLifetime(open.kept.actual, isSame ? "all" : "stable") },
    },
  };
}

/** Returns the tokens of instructions before the messages and in them. */
function layout(ledger: Ledger, seen: LedgerContext): { front: number; held: number } {
  const { policy, carriers } = seen.state;
  const calls = ledger.loads * LOAD_TOKENS;
  const front = tokensOf(inFront(seen));
  if (policy?.delivery === "auto") {
    const texts = carriers.map(({ skills, state }) =>
      state === "edited" || state === "withdrawn"
        ? REPLACED_TOKENS
        : skills.reduce((sum, { tokens }) => sum + tokens, 0),
    );
    return { front, held: calls + texts.reduce((sum, tokens) => sum + tokens, 0) };
  }
  return { front, held: calls + (isAnswered(seen) ? ledger.appended_tokens : 0) };
}

/** Returns the active skills whose instructions are before the messages. */
function inFront({ state, active }: LedgerContext): readonly Present[] {
  if (state.policy?.delivery === "auto") return active.filter(({ reason }) => reason === "preloaded");
  return active.filter(({ skill }) => state.delivered.get(skill.name) !== skill.version_id);
}

function isAnswered({ state: { policy } }: LedgerContext): boolean {
  return policy?.delivery === "tool_result" || policy?.tool_style === "skill";
}

/** Returns a key that changes when the part before the messages changes. */
function signOf(seen: LedgerContext): string {
  const selected = seen.state.policy?.delivery === "auto" ? [] : seen.state.selected;
  return JSON.stringify([inFront(seen).map(({ skill }) => skill.version_id), selected]);
}

function heldAppended({ appended_tokens, loads }: Ledger): number {
  return appended_tokens + loads * LOAD_TOKENS;
}

function tokensOf(active: readonly Present[]): number {
  return sizeOf(skillsOf(active));
}

function skillsOf(active: readonly Present[]): SkillRef[] {
  return active.map(({ skill }) => skill);
}

function sizeOf(skills: readonly SkillRef[]): number {
  return skills.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns the current prices of a model. For an unknown model, each token costs one. */
export function ledgerPrice(price: CachePrice | null): LedgerPrice {
  if (price === null) return { match: null, read: 1, write: 1, long_write: 1, min_tokens: 0, ttl_ms: null };
  const { match, read, min_tokens, ttl_s } = price;
  const write = writePrice(price);
  const long_write = Math.max(...Object.values(price.write));
  return { match, read, write, long_write, min_tokens, ttl_ms: ttl_s === null ? null : ttl_s * 1_000 };
}

/** Returns what a provider bills for reported counts. */
function priceOfUsage({ fresh, cache_read, cache_write, long_write = 0 }: Usage, price: LedgerPrice): number {
  const written = (cache_write - long_write) * price.write + long_write * price.long_write;
  return fresh + cache_read * price.read + written;
}

/** Returns the billed cost of this many tokens, the first of which are cached. Prompts below the minimum are not cached. */
function priceOfSent(sent: number, known: number, price: LedgerPrice): number {
  if (sent < price.min_tokens) return sent;
  const read = known >= price.min_tokens ? Math.min(known, sent) : 0;
  return read * price.read + (sent - read) * price.write;
}

const WAYS = ["actual", "paste", "append_only"] as const;

function inEach(amount: (way: (typeof WAYS)[number]) => number): LedgerTotals {
  return { actual: amount("actual"), paste: amount("paste"), append_only: amount("append_only") };
}

/** A modelled request: what each method sends and what is billed for it. */
function model(
  ledger: Ledger,
  open: OpenRequest,
  usage: Usage | null,
): { sent: LedgerTotals; known: LedgerTotals; billed: LedgerTotals } {
  const { before } = ledger;
  const price = ledger.price ?? ledgerPrice(null);
  const { front, stable, held } = open;
  // The unknown part of the messages cancels out, because it is equal in all ways.
  const talk = usage === null ? open.talk : Math.max(0, sentTokens(usage) - front.actual - held.actual);
  const sent = inEach((way) => front[way] + held[way] + talk);
  const kept = { all: Number.POSITIVE_INFINITY, none: 0 };
  const known = inEach((way) => {
    const most = { ...kept, front: front[way], stable: stable[way] }[open.kept[way]];
    return before === null ? 0 : Math.min(most, before.sent[way], sent[way]);
  });
  const billed = inEach((way) => (way === "paste" && open.extra ? 0 : priceOfSent(sent[way], known[way], price)));
  return { sent, known, billed };
}

/** Ends the open request, with the provider's counts if reported. */
function closeRequest(ledger: Ledger, usage: Usage | null): Ledger {
  const { open, before } = ledger;
  if (open === null) return ledger;
  const price = ledger.price ?? ledgerPrice(null);
  const { sent, known, billed } = model(ledger, open, usage);
  const correction = usage === null ? 0 : priceOfUsage(usage, price) - billed.actual;
  const paste = open.extra ? (before?.sent.paste ?? 0) : sent.paste;
  const closed: Ledger = {
    ...ledger,
    billed: inEach((way) => ledger.billed[way] + billed[way] + correction),
    requests: ledger.requests + 1,
    guessed: ledger.guessed + (usage === null && !open.told ? 1 : 0),
    before: { sent: { ...sent, paste }, at: open.at, reported: usage !== null },
    open: null,
  };
  if (usage === null) return closed;
  const isInTime = before !== null && price.ttl_ms !== null && open.at - before.at <= price.ttl_ms;
  const expected = isInTime && before.reported && open.kept.actual === "all" && known.actual >= price.min_tokens;
  const unread = usage.cache_read > 0 ? 0 : ledger.unread + (expected && price.match !== null ? 1 : 0);
  const messages = sent.actual - open.front.actual;
  const uncached = price.match !== null && messages >= price.min_tokens && 2 * usage.fresh > messages;
  return { ...closed, unread, uncached };
}

/** Returns what remains cached if both happen. */
function shorterCacheLifetime(a: CachedPart, b: CachedPart): CachedPart {
  const order: CachedPart[] = ["none", "stable", "front", "all"];
  return order[Math.min(order.indexOf(a), order.indexOf(b))] ?? "none";
}

/** Whether the caller's provider has no cache, according to its reports including the current one. */
export function hasNoCache(ledger: Ledger, usage: Usage | null): boolean {
  return closeRequest(ledger, usage).unread >= NO_CACHE;
}

/**
 * Returns the sums so far, rounded so that differences between sums add up; with or without the open request. `sent`: the last counted
 * request.
 */
export function ledgerSums(
  ledger: Ledger,
  until: "open" | "closed",
): { billed: LedgerTotals; requests: number; sent: LedgerTotals | null } {
  const { before, requests } = ledger;
  const now = until === "closed" || ledger.open === null ? null : model(ledger, ledger.open, null);
  const sent = now?.sent ?? before?.sent ?? null;
  return {
    billed: inEach((way) => Math.round(ledger.billed[way] + (now?.billed[way] ?? 0))),
    requests: requests + (now === null ? 0 : 1),
    sent: sent === null ? null : inEach((way) => Math.round(sent[way])),
  };
}

/** Returns the billed totals so far, including the modelled open request. */
export function billedOf(ledger: Ledger): LedgerTotals & {
  estimated: boolean;
  saved_percent: number;
  saved_over_append_percent: number;
} {
  const { open, requests } = ledger;
  const sums = ledgerSums(ledger, "open").billed;
  return {
    ...sums,
    estimated: ledger.guessed > 0 || (requests === 0 && open?.told !== true),
    saved_percent: saved(sums.actual, sums.paste),
    saved_over_append_percent: saved(sums.actual, sums.append_only),
  };
}

function saved(actual: number, other: number): number {
  return other <= 0 ? 0 : Math.round((1 - actual / other) * 1_000) / 10;
}
