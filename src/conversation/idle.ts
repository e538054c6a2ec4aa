// What the alarm is for: what is due, and the end of a conversation that nobody uses.

import { DURATIONS } from "../domain/durations";
import { settingsFrom } from "../domain/settings";
import { freshId, makeContext, primaryDatabase } from "../edge/context";
import { expireDue } from "../services/asking/ask";
import { farewell } from "../services/conversation/farewell";
import { idleDeadline, unlist } from "../services/conversation/lifecycle";
import type { Session } from "../services/session";
import { closeSilent } from "./socket-protocol";
import type { Tabs } from "./tabs";

/** Does what is due: unanswered questions, silent sockets, keys to check, and the end of an idle conversation. */
export async function ring(tabs: Tabs, env: Env, empty: () => Promise<null>): Promise<void> {
  tabs.alarm.fired();
  if (tabs.session() === null) return;
  expireDue(tabs.asking);
  await closeSilent(tabs);
  const session = tabs.session();
  if (session !== null) await endIfIdle(tabs, env, session, empty);
}

/** Deletes the conversation when it is idle for long enough, or sets the alarm for when it will be. */
async function endIfIdle(tabs: Tabs, env: Env, session: Session, empty: () => Promise<null>): Promise<void> {
  const days = settingsFrom(env).CONVERSATION_IDLE_DAYS;
  if (idleDeadline(session, days) > Date.now()) return tabs.alarm.rearm();
  // Set again first: should D1 not answer for longer than alarms are retried, the end still comes.
  await tabs.alarm.postpone(Date.now() + DURATIONS.endAgain);
  const leave = await farewell(ownerContext(env, session), session);
  await unlist({ db: primaryDatabase(env) }, session);
  await empty();
  leave();
}

/** Nobody calls: the conversation's user ends it, as far as the user's own things go. */
function ownerContext(env: Env, { userId }: Session) {
  const principal = { userId, role: "user" as const, groups: [], scopes: [], keyId: "" };
  return makeContext(env, { caller: { principal, counters: {}, requestId: freshId("idle"), stale: false } });
}
