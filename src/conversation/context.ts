// Creates the context of a request in a conversation's Durable Object, with access to pages and hosts.

import { DURATIONS } from "../domain/durations";
import { makeContext, type RequestContext } from "../edge/context";
import type { Context } from "../services/context";
import type { HostSetup, Target } from "../services/conversation/api";
import { requireSession } from "../services/conversation/lifecycle";
import { openBrowserLink } from "../services/questions/browser-link";
import { openQuestionHandler } from "../services/questions/server-questions";
import { waitFor, wake } from "../services/questions/waiters";
import { callerIn } from "../services/session";
import type { StoredConversation } from "./stored-conversation";

interface Found {
  env: Env;
  later: Context["later"];
  target: Target;
  /** The calling MCP host, if it accepts requests. */
  host: HostSetup | undefined;
}

/** What calls wait for while their user signs in to a server. No question has such an id. */
const SIGN_IN = "sign-in";

/** Wakes the calls that wait for a sign-in. */
export function wakeSignIns(kept: StoredConversation): null {
  wake(kept.tabs.asking.waiters, SIGN_IN);
  return null;
}

/** The context of one request to the conversation. */
export function contextIn(kept: StoredConversation, { env, later, target, host }: Found): RequestContext {
  const session = () => requireSession(kept.open());
  return makeContext(env, {
    later,
    countsMs: DURATIONS.countsOfObject,
    caller: callerIn(() => kept.session, target.caller, Date.now),
    browserLink: (call) => openBrowserLink(kept.tabs.asking, session(), call),
    host: host?.abilities,
    origin: target.origin,
    waitForSignIn: (ms) => waitFor(kept.tabs.asking.waiters, SIGN_IN, ms),
    inquire: (call, server) => openQuestionHandler(kept.tabs.asking, session(), call, server),
  });
}
