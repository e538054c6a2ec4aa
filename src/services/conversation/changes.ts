// Notices to the pages when what is active changes.

import type { ConversationState } from "../../domain/conversation/activation";
import type { ServerFrame } from "../../domain/questions/frame";
import type { Audience } from "../audience";
import type { Clients } from "../questions/ask";
import type { Session } from "../session";
import { reportTools, type ToolListeners } from "./client-tools";
import { callsFrame } from "./pages/calls";
import { listFrame } from "./pages/skills";
import { activeOf } from "./status";

export function activeFrame(state: ConversationState): Extract<ServerFrame, { type: "skill:active" }> {
  return { type: "skill:active", turn: state.turn, active: activeOf(state).map((skill) => ({ ...skill })) };
}

/**
 * From now on tells the pages when the turn or what is active in it changes, once for all changes made at a time; those who hear of more
 * when that changes, and MCP hosts that listen when the list of tools does.
 *
 * @param failed hears why the list could not be worked out
 */
export function announceChanges(
  session: Session,
  clients: Clients & Audience,
  listeners: ToolListeners,
  failed: (error: unknown) => void,
): void {
  let told = JSON.stringify(activeFrame(session.state));
  let view = session.view?.key;
  let { turn } = session.state;
  // One after the other: what is worked out last is told last.
  let telling = Promise.resolve();
  session.audience = clients;
  session.otherThings = () => listeners.tellThings();
  session.changed = (context) => {
    if (listeners.any()) telling = telling.then(() => reportTools(context, session, listeners)).catch(failed);
    queueMicrotask(() => {
      if (view !== session.view?.key) clients.show("skills", () => listFrame(session));
      view = session.view?.key;
      const frame = activeFrame(session.state);
      const text = JSON.stringify(frame);
      if (text === told) return;
      told = text;
      clients.notifyPages(frame);
      if (turn !== frame.turn) clients.show("calls", (seesOutput) => callsFrame(session, seesOutput));
      turn = frame.turn;
    });
  };
}
