// Counts skill usage in the conversation's store, and adds it to the shared counts once an hour.

import * as z from "zod";
import { apply, type ConversationState } from "../domain/conversation/activation";
import type { ConversationEvent } from "../domain/conversation/event";
import { predictionIn } from "../domain/conversation/prediction/counts";
import {
  addListed,
  addPrediction,
  addQuery,
  addSearch,
  addServerCall,
  addUse,
  arrived,
  closed,
  NO_USES,
  type SkillUse,
  type Uses,
  usesIn,
  usesSchema,
} from "../domain/conversation/skill-use";
import { SNAPSHOT_EVERY } from "../domain/conversation/snapshot";
import type { ToolResult } from "../domain/tool";
import type { Database } from "../storage/d1/database";
import { addUses } from "../storage/d1/skill-use";
import type { ConversationStore } from "../storage/object/conversation";
import type { Context } from "./context";
import { stateAt } from "./history";
import { listsIn } from "./listings";
import type { SessionMemory } from "./session-memory";

/** The parts of a session needed to count. */
interface Counting {
  readonly userId: string;
  readonly store: ConversationStore;
  readonly memory: Pick<SessionMemory, "uses">;
  ended: boolean;
  /** Called when a new task is scheduled. */
  scheduled?: (due: number) => void;
}

/** Stored counts up to an event. Later counts are computed from the log, so using a skill writes no row. */
const storedSchema = z.lazy(() => usesSchema.unwrap().extend({ through: z.number().optional() }));

/** Returns counts that are not confirmed as received. */
export function usesOf({ store, memory }: Pick<Counting, "store" | "memory">): Uses {
  memory.uses ??= { kept: readUses(store) };
  return memory.uses.kept;
}

function readUses(store: ConversationStore): Uses {
  const { through, ...stored } = store.get("uses", storedSchema) ?? { ...NO_USES, through: 0 };
  // Earlier gateways stored the counts with each use, so they are complete.
  const uses = through === undefined ? stored : countedSince(store, stored, through);
  if (through === undefined || store.log.last() - through >= SNAPSHOT_EVERY) writeUses(store, uses);
  return uses;
}

function countedSince(store: ConversationStore, before: Uses, through: number): Uses {
  let state = stateAt(store, through);
  let uses = before;
  for (let seq = through; ; ) {
    const page = store.log.after(seq, SNAPSHOT_EVERY);
    for (const { at, event } of page) {
      uses = usesAfter(uses, state, [event], at);
      state = apply(state, event);
    }
    if (page.length < SNAPSHOT_EVERY) return uses;
    seq = page.at(-1)?.seq ?? seq;
  }
}

/** Returns the counts after these events. */
export function usesAfter(
  before: Uses,
  state: ConversationState,
  events: readonly ConversationEvent[],
  now: number,
): Uses {
  let [uses, then] = [before, state];
  for (const event of events) {
    uses = usesIn(then, event).reduce((sum, use) => addUse(sum, use, now), uses);
    const prediction = predictionIn(then, event);
    if (prediction !== null) uses = addPrediction(uses, prediction, now);
    if (event.type === "turn" && event.list !== undefined) uses = addListed(uses, event.list, now);
    then = apply(then, event);
  }
  return uses;
}

/** Stores the counts up to the last event. */
export function writeUses(store: ConversationStore, uses: Uses): void {
  store.set("uses", { ...uses, through: store.log.last() });
}

/** Stores counts that no event contains: tool calls, and closed or received batches. */
function keepUses({ store, memory }: Pick<Counting, "store" | "memory">, uses: Uses): void {
  if (uses === usesOf({ store, memory })) return;
  writeUses(store, uses);
  memory.uses = { kept: uses };
}

/** Schedules sending if a batch became due. */
export function scheduleUses(counting: Counting, before: Uses, after: Uses): void {
  if (before.due === null && after.due !== null) counting.scheduled?.(after.due);
}

/** Changes the counts, and schedules sending them. */
export function changeCounts(
  { now }: Pick<Context, "now">,
  counting: Counting,
  change: (uses: Uses, now: number) => Uses,
): void {
  if (counting.ended) return;
  const before = usesOf(counting);
  const after = change(before, now());
  keepUses(counting, after);
  scheduleUses(counting, before, after);
}

/**
 * Counts a tool or script call by its result, and returns the result.
 *
 * @param more counted with the call
 */
export function countCall(
  context: Pick<Context, "now">,
  counting: Counting,
  { skill_id, version_id }: Pick<SkillUse, "skill_id" | "version_id">,
  result: ToolResult,
  more: Omit<SkillUse, "skill_id" | "version_id"> = {},
): ToolResult {
  const use = { ...more, skill_id, version_id, calls: 1, failures: result.isError === true ? 1 : 0 };
  changeCounts(context, counting, (uses, now) => addUse(uses, use, now));
  return result;
}

/** Counts a call of a stored MCP server. */
export function countServerCall(
  context: Pick<Context, "now">,
  counting: Counting,
  server: { scope: string; name: string },
  isFailure: boolean,
): void {
  changeCounts(context, counting, (uses, now) => addServerCall(uses, server, isFailure, now));
}

/**
 * Counts a search and the skills that it found.
 *
 * @param query stored with the counts; `null`: not stored
 */
export function countSearch(
  context: Pick<Context, "now">,
  counting: Counting,
  found: readonly Pick<SkillUse, "skill_id" | "version_id">[],
  query: string | null,
): void {
  changeCounts(context, counting, (uses, now) => addQuery(addSearch(uses, found, now), query, now));
}

/**
 * Adds due counts to the shared ones in one batch. The batch is closed first and deleted once its arrival is confirmed: after a failure,
 * the same batch is sent again, and the database recognizes its id.
 */
export async function sendUses(
  { db, now, newId }: { db: Database } & Pick<Context, "now" | "newId">,
  counting: Counting,
): Promise<void> {
  const { due } = usesOf(counting);
  if (due === null || due > now()) return;
  const open = usesOf(counting);
  keepUses(counting, closed(open, now(), newId("use"), listsIn(counting.store)));
  const { sent } = usesOf(counting);
  if (open.sent !== null && open.sent.id !== sent?.id)
    console.error(JSON.stringify({ event: "skill_use_dropped", batch: open.sent.id, counts: open.sent.counts.length }));
  if (sent !== null) await addUses(db, counting.userId, sent, now());
  if (!counting.ended) keepUses(counting, arrived(usesOf(counting)));
}
