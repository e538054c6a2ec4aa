// Notices to the pages when what is active changes.

import type { ServerFrame } from "../../domain/asking/frame";
import type { ConversationState } from "../../domain/conversation/activation";
import type { Clients } from "../asking/ask";
import type { Session } from "../session";
import { activeOf } from "./status";

export function activeFrame(state: ConversationState): Extract<ServerFrame, { type: "skill:active" }> {
  return { type: "skill:active", turn: state.turn, active: activeOf(state).map((skill) => ({ ...skill })) };
}

/** From now on tells the pages when the turn or what is active in it changes; once for all changes made at a time. */
export function announceChanges(session: Session, clients: Clients): void {
  let told = JSON.stringify(activeFrame(session.state));
  session.changed = () =>
    queueMicrotask(() => {
      const frame = activeFrame(session.state);
      const text = JSON.stringify(frame);
      if (text === told) return;
      told = text;
      clients.tell(frame);
    });
}
