// Everything the object has for its pages: their sockets, the questions to them, and the alarm for both.

import { DURATIONS } from "../domain/durations";
import type { Grant } from "../domain/questions/ticket";
import { type Settings, settingsFrom } from "../domain/settings/settings";
import { identityStoresOf } from "../edge/context";
import { counterIn } from "../edge/metrics/counter";
import { isLive } from "../services/access/credential";
import { idleDeadline } from "../services/conversation/lifecycle";
import { figuresDue } from "../services/list-figures";
import type { Asking } from "../services/questions/ask";
import type { Session } from "../services/session";
import { usesOf } from "../services/skill-use";
import type { ConversationStore } from "../storage/object/conversation";
import { Alarm } from "./alarm";
import { Listeners } from "./listeners";
import { Sockets } from "./sockets";

export interface Tabs {
  readonly sockets: Sockets;
  readonly listeners: Listeners;
  readonly asking: Asking;
  readonly alarm: Alarm;
  readonly settings: Settings;
  /** The conversation, or `null` after it was deleted. */
  session(): Session | null;
  /** Whether the key behind a grant is still valid. Throws if storage does not respond. */
  isLive(grant: Grant): Promise<boolean>;
}

export function tabsOf(
  ctx: DurableObjectState,
  env: Env,
  store: ConversationStore,
  session: () => Session | null,
): Tabs {
  const sockets = new Sockets(ctx, () => alarm.rearm());
  const alarm = new Alarm(ctx.storage, () => {
    const open = session();
    if (open === null) return null;
    // The earliest of: the end of an idle conversation, a deadline, a silent socket, a key to check, counts or figures to send.
    const idle = idleDeadline(open, settingsFrom(env).CONVERSATION_IDLE_DAYS);
    const others = [store.questions.nextDeadline(), sockets.nextDue(), usesOf(open).due, figuresDue(open)];
    return Math.min(idle, ...others.filter((time) => time !== null));
  });
  const asking: Asking = {
    questions: store.questions,
    waiters: new Map(),
    clients: sockets,
    now: () => Date.now(),
    count: counterIn(env, (work) => ctx.waitUntil(work), DURATIONS.countsOfObject),
    rearm: () => alarm.rearm(),
  };
  return {
    sockets,
    listeners: new Listeners(ctx),
    asking,
    alarm,
    // Read at each use: a gateway with invalid settings reports them at its edges, not here.
    get settings() {
      return settingsFrom(env);
    },
    session,
    async isLive(grant) {
      const open = session();
      if (open === null) return false;
      const places = identityStoresOf(env, { storage: 0 }, (work) => ctx.waitUntil(work));
      return isLive(places, grant.credential, open.userId);
    },
  };
}
