// Updates the figures of a conversation in its user's list from time to time. No step writes for it.

import * as z from "zod";
import type { ConversationState } from "../domain/conversation/activation";
import type { FinishedCall } from "../domain/conversation/event";
import { billedOf } from "../domain/conversation/ledger";
import { factsAfter, failedCalls, type ListFacts, listFactsSchema, NO_FACTS } from "../domain/conversation/list-facts";
import { SNAPSHOT_EVERY } from "../domain/conversation/snapshot";
import { DURATIONS } from "../domain/durations";
import { updateConversationFigures } from "../storage/d1/conversations";
import type { Database } from "../storage/d1/database";
import type { ConversationStore } from "../storage/object/conversation";
import type { Context } from "./context";

/** The parts of a session needed to report. */
interface Telling {
  readonly userId: string;
  readonly id: string;
  readonly store: ConversationStore;
  state: ConversationState;
  ended: boolean;
  /** Called when a new task is scheduled. */
  scheduled?: (due: number) => void;
}

/** Start of the last reported turn, and time of the last attempt, in milliseconds since the epoch. */
const reportSchema = z.object({ turn: z.number(), at: z.number() });
/** Facts up to an event. Each report continues with the events since. */
const readSchema = z.lazy(() => listFactsSchema.unwrap().extend({ through: z.number() }));

/** A conversation that never reported is new, or was created by an earlier gateway. */
const lastReport = (store: ConversationStore) => store.get("told", reportSchema) ?? { turn: 0, at: store.created() };

/** Returns when the last turn should be reported, in milliseconds since the epoch; `null`: reported, or no turn. */
export function figuresDue({ store }: Pick<Telling, "store">): number | null {
  const last = store.log.lastTurn();
  const reported = lastReport(store);
  if (last === null || last === reported.turn) return null;
  return Math.max(reported.at + DURATIONS.listTold, last + DURATIONS.listLater);
}

/** Schedules the report of a new turn. */
export function scheduleFiguresReport(telling: Telling): void {
  const due = figuresDue(telling);
  if (due !== null) telling.scheduled?.(due);
}

/**
 * Reports to the list if a report is due. A failure is retried later.
 *
 * @param calls the finished calls of the current turn, which are not in the log yet
 */
export async function reportFigures(
  { db, now }: { db: Database } & Pick<Context, "now">,
  telling: Telling,
  calls: readonly FinishedCall[],
): Promise<void> {
  const { store, state, userId, id } = telling;
  const last = store.log.lastTurn();
  const reported = lastReport(store);
  if (last === null || last === reported.turn || reported.at + DURATIONS.listTold > now()) return;
  // Stored first, so that a list that does not answer is not called again immediately.
  store.set("told", { ...reported, at: now() });
  const { failures, skills } = readFacts(store);
  const { actual, paste } = billedOf(state.ledger);
  await updateConversationFigures(
    db,
    { userId, id },
    {
      ...{ turns: state.turn, lastTurnAt: last, tokens: Math.round(actual), pastedTokens: Math.round(paste) },
      ...{ failures: failures + failedCalls(calls), skills },
    },
  );
  if (!telling.ended) store.set("told", { turn: last, at: now() });
}

/** Returns the facts of all events in the log, of which only those since the last report are read. */
function readFacts(store: ConversationStore): ListFacts {
  let { through, ...facts } = store.get("list_facts", readSchema) ?? { ...NO_FACTS, through: 0 };
  for (let isMore = true; isMore; ) {
    const page = store.log.after(through, SNAPSHOT_EVERY);
    for (const { event } of page) facts = factsAfter(facts, event);
    through = page.at(-1)?.seq ?? through;
    isMore = page.length === SNAPSHOT_EVERY;
  }
  store.set("list_facts", { ...facts, through });
  return facts;
}
