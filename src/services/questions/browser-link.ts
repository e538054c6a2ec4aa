// Connects a tool's code to the pages of its conversation.

import type { BrowserLink } from "../../sandbox/browser-link";
import type { LinkCall } from "../context";
import type { Session } from "../session";
import { type Asking, askerOf, notifyPages } from "./ask";

/** Creates the link of one tool call. Its questions are numbered, so that a repeated call finds their answers. */
export function openBrowserLink(asking: Asking, session: Session, call: LinkCall): BrowserLink {
  const { skillName, callId, signal } = call;
  const ask = askerOf(asking, session, callId, signal);
  return {
    request: ({ action, payload, timeoutMs, requireClient, answerSchema }) =>
      ask(
        { skill_name: skillName, action, payload, timeout_ms: timeoutMs, answer_schema: answerSchema },
        requireClient,
      ),
    emit: (action, payload) => notifyPages(asking, skillName, action, payload),
  };
}
