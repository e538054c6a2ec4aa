// Computes the state of a conversation at any event from snapshots instead of the whole log.

import { type ConversationState, EMPTY_STATE, fold } from "../domain/conversation/activation";
import { freeze, SNAPSHOT_EVERY, SNAPSHOT_SHAPE, thaw } from "../domain/conversation/snapshot";
import type { ConversationStore } from "../storage/object/conversation";

/** Returns the state after an event (default: the last). A log without usable snapshots is folded completely once and then has them. */
export function stateAt(store: ConversationStore, until = Number.MAX_SAFE_INTEGER): ConversationState {
  const { log } = store;
  const known = log.snapshot(SNAPSHOT_SHAPE, until);
  let seq = known?.seq ?? 0;
  let state = known === null ? EMPTY_STATE : thaw(known.state);
  for (;;) {
    const next = log.after(seq, Math.min(SNAPSHOT_EVERY, until - seq));
    state = fold(
      next.map(({ event }) => event),
      state,
    );
    seq = next.at(-1)?.seq ?? seq;
    if (next.length < SNAPSHOT_EVERY) return state;
    log.keepSnapshot(seq, SNAPSHOT_SHAPE, freeze(state));
  }
}

/** Stores a snapshot of the state after an event if one is due. Returns whether it did. Call it in the change that appends the events. */
export function snapshotWhenDue(store: ConversationStore, from: number, to: number, state: ConversationState): boolean {
  if (Math.floor(from / SNAPSHOT_EVERY) === Math.floor(to / SNAPSHOT_EVERY)) return false;
  store.log.keepSnapshot(to, SNAPSHOT_SHAPE, freeze(state));
  return true;
}
