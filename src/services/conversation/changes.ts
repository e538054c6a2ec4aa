// Notifies pages when the active skills change.

import type { ConversationState } from "../../domain/conversation/activation";
import type { ServerFrame } from "../../domain/questions/frame";
import type { Clients } from "../questions/ask";
import type { Audience, Session } from "../session";
import { reportTools, type ToolListeners } from "./client-tools";
import { callsFrame } from "./pages/calls";
import { listFrame } from "./pages/skills";
import { activeOf } from "./status";

export function activeFrame(state: ConversationState): Extract<ServerFrame, { type: "skill:active" }> {
  return { type: "skill:active", turn: state.turn, active: activeOf(state).map((skill) => ({ ...skill })) };
}

/**
 * Notifies pages when the turn or the active skills change, once for changes made together. Also notifies subscribed pages of their topics,
 * and MCP hosts when the list of tools changes.
 *
 * @param failed called if the list could not be computed
 */
export function announceChanges(
  session: Session,
  clients: Clients & Audience,
  listeners: ToolListeners,
  failed: (error: unknown) => void,
): void {
  let sentState = JSON.stringify(activeFrame(session.state));
  let view = session.view?.key;
  let { turn } = session.state;
  // In sequence, so that the latest list is sent last.
  let pendingSend = Promise.resolve();
  session.audience = clients;
  session.otherThings = () => listeners.tellThings();
  session.changed = (context) => {
    if (listeners.any()) pendingSend = pendingSend.then(() => reportTools(context, session, listeners)).catch(failed);
    queueMicrotask(() => {
      if (view !== session.view?.key) clients.show("skills", () => listFrame(session));
      view = session.view?.key;
      const frame = activeFrame(session.state);
      const text = JSON.stringify(frame);
      if (text === sentState) return;
      sentState = text;
      clients.notifyPages(frame);
      if (turn !== frame.turn) clients.show("calls", (seesOutput) => callsFrame(session, seesOutput));
      turn = frame.turn;
    });
  };
}
