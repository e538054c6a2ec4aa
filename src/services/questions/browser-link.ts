// The way from a tool's code to the pages of its conversation.

import type { BrowserLink } from "../../sandbox/browser-link";
import type { LinkCall } from "../context";
import type { Session } from "../session";
import { type Asking, askerOf, notifyPages } from "./ask";

/** The link of one tool call. Its questions are counted in order, so that the same call made again finds their answers. */
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
