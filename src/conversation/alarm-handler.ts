// Handles the alarm: runs what is due, and deletes an idle conversation.

import { DURATIONS } from "../domain/durations";
import { refusalIn } from "../domain/errors";
import { settingsFrom } from "../domain/settings/settings";
import { makeContext, newId, primaryDatabase } from "../edge/context";
import { logUnexpected } from "../edge/unexpected";
import type { Context } from "../services/context";
import { closeSessions } from "../services/conversation/close";
import { idleDeadline, removeFromList } from "../services/conversation/lifecycle";
import { callsOfTurn } from "../services/conversation/trace";
import { reportFigures } from "../services/list-figures";
import { expireDue } from "../services/questions/ask";
import type { Session } from "../services/session";
import { sendUses } from "../services/skill-use";
import { closeSilent } from "./socket-protocol";
import type { Tabs } from "./tabs";

/** What the alarm needs from the object: bindings, background work, and a function that empties the store. */
interface AlarmContext {
  env: Env;
  later: Context["later"];
  empty: () => Promise<null>;
}

/** Runs what is due: expired questions, silent sockets, key checks, counts, list figures, and the deletion of an idle conversation. */
export async function runAlarm(tabs: Tabs, { env, later, empty }: AlarmContext): Promise<void> {
  tabs.alarm.fired();
  if (tabs.session() === null) return;
  expireDue(tabs.asking);
  await closeSilent(tabs);
  await sendCounts(tabs, env);
  await notifyOfList(tabs, env);
  const session = tabs.session();
  if (session !== null) await endIfIdle(tabs, { env, later, empty }, session);
}

/** Sends the usage counts that are due. If the registry does not respond, they are sent an hour later. Nothing else waits for them. */
async function sendCounts(tabs: Tabs, env: Env): Promise<void> {
  const session = tabs.session();
  if (session === null) return;
  try {
    await sendUses({ db: primaryDatabase(env), now: () => Date.now(), newId: newId }, session);
  } catch (error) {
    // Storage errors are logged where they occur.
    if (refusalIn(error) === null) logUnexpected(error, { where: "skill use" });
  }
}

/** Reports figures to the user's list if due. A failure is retried later. */
async function notifyOfList(tabs: Tabs, env: Env): Promise<void> {
  const session = tabs.session();
  if (session === null) return;
  try {
    await reportFigures({ db: primaryDatabase(env), now: () => Date.now() }, session, callsOfTurn(session));
  } catch (error) {
    if (refusalIn(error) === null) logUnexpected(error, { where: "list figures" });
  }
}

/** Deletes the conversation if it has been idle for long enough, or sets the alarm for that time. */
async function endIfIdle(tabs: Tabs, { env, later, empty }: AlarmContext, session: Session): Promise<void> {
  const days = settingsFrom(env).CONVERSATION_IDLE_DAYS;
  if (idleDeadline(session, days) > Date.now()) return tabs.alarm.rearm();
  // Set again first: if D1 fails for longer than alarms are retried, the deletion still happens.
  await tabs.alarm.postpone(Date.now() + DURATIONS.endAgain);
  const context = ownerContext(env, later, session);
  const leave = await closeSessions(context, session);
  const { packages, timings } = context;
  await removeFromList({ db: primaryDatabase(env), packages, timings }, session);
  await empty();
  leave();
}

/** There is no caller: the deletion runs as the conversation's user. */
function ownerContext(env: Env, later: Context["later"], { userId }: Session) {
  const principal = { userId, role: "user" as const, groups: [], scopes: [], keyId: "" };
  return makeContext(env, {
    later,
    caller: { principal, counters: {}, asOf: null, requestId: newId("idle"), stale: false },
  });
}
