// Counting how skills are used: in the conversation's own store, and once an hour added to everybody's counts.

import type { ConversationState } from "../domain/conversation/activation";
import type { ConversationEvent } from "../domain/conversation/event";
import {
  arrived,
  closed,
  NO_USES,
  type SkillUse,
  type Uses,
  usesIn,
  usesSchema,
  withUse,
} from "../domain/conversation/skill-use";
import type { ToolResult } from "../domain/tool";
import type { Database } from "../storage/d1/database";
import { addUses } from "../storage/d1/skill-use";
import type { ConversationStore } from "../storage/object/conversation";
import type { Context } from "./context";
import type { SessionMemory } from "./session-memory";

/** The part of a session that counts. */
interface Counting {
  readonly userId: string;
  readonly store: ConversationStore;
  readonly memory: Pick<SessionMemory, "uses">;
  ended: boolean;
  /** Called when something is to be done later that was not before. */
  scheduled?: (due: number) => void;
}

/** What is counted and not known to have arrived. */
export function usesOf({ store, memory }: Pick<Counting, "store" | "memory">): Uses {
  memory.uses ??= { kept: store.get("uses", usesSchema) ?? NO_USES };
  return memory.uses.kept;
}

/** What is counted once events have happened; the same as before where they say nothing of it. */
export function usesAfter(
  counting: Counting,
  state: ConversationState,
  events: readonly ConversationEvent[],
  now: number,
): Uses {
  // Of events that are recorded together only the first is about the use of skills.
  return events
    .flatMap((event) => usesIn(state, event))
    .reduce((uses, use) => withUse(uses, use, now), usesOf(counting));
}

/** Keeps what is counted. Belongs into the change that it is about. */
export function keepUses({ store, memory }: Pick<Counting, "store" | "memory">, uses: Uses): void {
  if (uses === usesOf({ store, memory })) return;
  // Read again should the change be rolled back.
  memory.uses = null;
  store.set("uses", uses);
}

/** Says that a batch is due that was not before. */
export function scheduleUses(counting: Counting, before: Uses, after: Uses): void {
  if (before.due === null && after.due !== null) counting.scheduled?.(after.due);
}

/** Counts a call of a skill's tool or script by its result, which it gives back. */
export function countCall(
  { now }: Pick<Context, "now">,
  counting: Counting,
  { skill_id, version_id }: SkillUse,
  result: ToolResult,
): ToolResult {
  if (counting.ended) return result;
  const before = usesOf(counting);
  const use = { skill_id, version_id, calls: 1, failures: result.isError === true ? 1 : 0 };
  const after = withUse(before, use, now());
  keepUses(counting, after);
  scheduleUses(counting, before, after);
  return result;
}

/**
 * Adds what is due to everybody's counts, in one batch. It is closed first, and forgotten once it is known to have arrived: whatever
 * fails in between, the same batch is sent again, and the database knows it by its id.
 */
export async function sendUses(
  { db, now, newId }: { db: Database } & Pick<Context, "now" | "newId">,
  counting: Counting,
): Promise<void> {
  const { due } = usesOf(counting);
  if (due === null || due > now()) return;
  const open = usesOf(counting);
  keepUses(counting, closed(open, now(), newId("use")));
  const { sent } = usesOf(counting);
  if (open.sent !== null && open.sent.id !== sent?.id)
    console.error(JSON.stringify({ event: "skill_use_dropped", batch: open.sent.id, counts: open.sent.counts.length }));
  if (sent !== null) await addUses(db, counting.userId, sent, now());
  if (!counting.ended) keepUses(counting, arrived(usesOf(counting)));
}
