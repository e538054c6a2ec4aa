// What the list of a user's conversations says of each: its last turn, as its object tells it now and then. No step writes for it.

import * as z from "zod";
import type { ConversationState } from "../domain/conversation/activation";
import { billedOf } from "../domain/conversation/ledger";
import { DURATIONS } from "../domain/durations";
import { updateConversationFigures } from "../storage/d1/conversations";
import type { Database } from "../storage/d1/database";
import type { ConversationStore } from "../storage/object/conversation";
import type { Context } from "./context";

/** The part of a session that tells. */
interface Telling {
  readonly userId: string;
  readonly id: string;
  readonly store: ConversationStore;
  state: ConversationState;
  ended: boolean;
  /** Called when something is to be done later that was not before. */
  scheduled?: (due: number) => void;
}

/** The beginning of the last turn that was told, and when that was tried last; both in milliseconds since the epoch. */
const toldSchema = z.object({ turn: z.number(), at: z.number() });

/** A conversation that never told anything is new, or of an earlier gateway. */
const toldOf = (store: ConversationStore) => store.get("told", toldSchema) ?? { turn: 0, at: store.created() };

/** When the list is to hear of the last turn, in milliseconds since the epoch; `null`: it has, or there is none. */
export function figuresDue({ store }: Pick<Telling, "store">): number | null {
  const last = store.log.lastTurn();
  const told = toldOf(store);
  if (last === null || last === told.turn) return null;
  return Math.max(told.at + DURATIONS.listTold, last + DURATIONS.listLater);
}

/** Says that the list is to hear of a turn that has begun. */
export function scheduleFiguresReport(telling: Telling): void {
  const due = figuresDue(telling);
  if (due !== null) telling.scheduled?.(due);
}

/** Tells the list, where it was told nothing for long enough. Whatever fails, it is told later. */
export async function reportFigures(
  { db, now }: { db: Database } & Pick<Context, "now">,
  telling: Telling,
): Promise<void> {
  const { store, state, userId, id } = telling;
  const last = store.log.lastTurn();
  const told = toldOf(store);
  if (last === null || last === told.turn || told.at + DURATIONS.listTold > now()) return;
  // First, so that a list which does not answer is not asked again at once.
  store.set("told", { ...told, at: now() });
  await updateConversationFigures(
    db,
    { userId, id },
    { turns: state.turn, lastTurnAt: last, tokens: Math.round(billedOf(state.ledger).actual) },
  );
  if (!telling.ended) store.set("told", { turn: last, at: now() });
}
