// Enforces the limit of active skills or tokens: chooses which skills leave when a conversation exceeds it.

import type { CatalogEntry } from "../catalog/catalog";
import { CONVERSATION_LIMITS } from "../limits";
import { activeSkills, apply, type ConversationState } from "./activation";
import { carriersInEffect, textsInContext } from "./carriers";

/** Maximum bytes of instructions per allowed token: ordinary text has four to five bytes per token, line drawings up to a hundred. */
export const BYTES_PER_ALLOWED_TOKEN = 5;

/** Approximate maximum of an event's data about active skills: an event is one row, and rows are limited to 2 MB. */
const REF_CHARS = 256 * 1024;

/** Returns the total size of the skills' instructions. */
function weightOf(skills: readonly { tokens: number; bytes?: number | undefined }[]): {
  tokens: number;
  bytes: number;
} {
  return {
    tokens: skills.reduce((sum, skill) => sum + skill.tokens, 0),
    bytes: skills.reduce((sum, skill) => sum + (skill.bytes ?? 0), 0),
  };
}

/** Returns the byte limit for a token limit. Without it, texts with few tokens per byte would bypass the limit. */
export function bytesFor(tokens: number): number {
  return tokens * BYTES_PER_ALLOWED_TOKEN;
}

/** Whether the instructions together exceed what can ever be active in a conversation. */
export function overCeiling(
  skills: readonly { tokens: number; bytes?: number | undefined }[],
  ceiling: number,
): boolean {
  const { tokens, bytes } = weightOf(skills);
  return tokens > ceiling || bytes > bytesFor(ceiling);
}

/** Whether there are more skills than one event can contain. */
export function overRow(entries: readonly CatalogEntry[]): boolean {
  const characters = ({ name, needs }: CatalogEntry) =>
    needs.reduce((sum, need) => sum + need.length, name.length + 200);
  const all = entries.reduce((sum, entry) => sum + characters(entry), 0);
  return entries.length > CONVERSATION_LIMITS.activeSkills || all > REF_CHARS;
}

/** Whether the active skills, or the texts in the model's context, exceed the policy. */
export function overBudget(state: ConversationState): boolean {
  const most = state.policy?.max_active_skills ?? Number.POSITIVE_INFINITY;
  return activeSkills(state).length > most || overText(state);
}

function overText(state: ConversationState): boolean {
  const { policy } = state;
  if (policy === null) return false;
  const { tokens, bytes } = weightOf(
    textsInContext(
      activeSkills(state).map(({ skill }) => skill),
      state.carriers,
    ),
  );
  return (
    tokens > (policy.max_skill_tokens ?? Number.POSITIVE_INFINITY) ||
    bytes > (policy.max_skill_bytes ?? Number.POSITIVE_INFINITY)
  );
}

/**
 * Returns the loaded skills that leave, least recently used first, until the state fits, and whether it fits then. Preloaded and selected
 * skills stay, and so does `keep`, the skill being loaded. A dependency leaves with its last dependant. If texts take too much space, texts
 * of inactive skills leave first.
 */
export function evictions(state: ConversationState, keep: string | null): { leaving: string[]; fits: boolean } {
  const leaving: string[] = [];
  let current = state;
  while (overBudget(current)) {
    const needed = new Set(activeSkills(current).flatMap(({ skill }) => skill.dependencies));
    const staying = new Set([...current.preloaded, ...current.selected, ...needed]);
    const candidates = [...current.roots.keys()].filter((name) => name !== keep && !staying.has(name));
    const idle = overText(current) ? idleText(current, keep) : null;
    const oldest = idle ?? candidates.sort((a, b) => (current.touched.get(a) ?? 0) - (current.touched.get(b) ?? 0))[0];
    if (oldest === undefined) return { leaving, fits: false };
    leaving.push(oldest);
    current = apply(current, { type: "unloaded", turn: current.turn, name: oldest, reason: "evicted" });
  }
  return { leaving, fits: true };
}

/** Returns the skill of the oldest text that no active skill needs; `null` if there is none. */
function idleText(state: ConversationState, keep: string | null): string | null {
  const active = new Set(activeSkills(state).map(({ skill }) => skill.name));
  const idle = carriersInEffect(state.carriers).find(({ skills }) =>
    skills.every(({ name }) => name !== keep && !active.has(name)),
  );
  return idle?.skills.at(-1)?.name ?? null;
}
