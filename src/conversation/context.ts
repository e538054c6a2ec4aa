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

/** Calls that wait for a sign-in wait under this id. No question has such an id. */
const SIGN_IN = "sign-in";

/** Wakes the calls that wait for a sign-in. */
export function wakeSignIns(conversation: StoredConversation): null {
  wake(conversation.tabs.asking.waiters, SIGN_IN);
  return null;
}

/** Creates the context of one request to the conversation. */
export function contextIn(conversation: StoredConversation, { env, later, target, host }: Found): RequestContext {
  const session = () => requireSession(conversation.open());
  return makeContext(env, {
    later,
    countsMs: DURATIONS.countsOfObject,
    trace: target.trace,
    caller: callerIn(() => conversation.session, target.caller, Date.now),
    browserLink: (call) => openBrowserLink(conversation.tabs.asking, session(), call),
    host: host?.abilities,
    origin: target.origin,
    waitForSignIn: (ms) => waitFor(conversation.tabs.asking.waiters, SIGN_IN, ms),
    inquire: (call, server) => openQuestionHandler(conversation.tabs.asking, session(), call, server),
  });
}
