// The end of a conversation that nobody uses.

import { DURATIONS } from "../domain/durations";
import { settingsFrom } from "../domain/settings";
import { primaryDatabase } from "../edge/context";
import { idleDeadline, unlist } from "../services/conversation/lifecycle";
import type { Session } from "../services/session";
import type { Tabs } from "./tabs";

/** Deletes the conversation when it is idle for long enough, or sets the alarm for when it will be. */
export async function endIfIdle(tabs: Tabs, env: Env, session: Session, empty: () => Promise<null>): Promise<void> {
  const days = settingsFrom(env).CONVERSATION_IDLE_DAYS;
  if (idleDeadline(session, days) > Date.now()) return tabs.alarm.rearm();
  // Set again first: should D1 not answer for longer than alarms are retried, the end still comes.
  await tabs.alarm.postpone(Date.now() + DURATIONS.endAgain);
  await unlist({ db: primaryDatabase(env) }, session);
  await empty();
}
