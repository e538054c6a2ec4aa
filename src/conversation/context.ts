// What a request finds in a conversation's object: the context of its use case, with the ways to those who can be asked.

import { DURATIONS } from "../domain/durations";
import { makeContext, type RequestContext } from "../edge/context";
import { openBrowserLink } from "../services/asking/browser-link";
import { openInquiry } from "../services/asking/server-inquiry";
import type { Context } from "../services/context";
import type { HostSetup, Target } from "../services/conversation/api";
import { required } from "../services/conversation/lifecycle";
import { callerIn } from "../services/session";
import type { KeptConversation } from "./kept";

interface Found {
  env: Env;
  later: Context["later"];
  target: Target;
  /** The MCP host that calls, where it can be asked something. */
  host: HostSetup | undefined;
}

/** The context of one request to the conversation. */
export function contextIn(kept: KeptConversation, { env, later, target, host }: Found): RequestContext {
  const session = () => required(kept.open());
  return makeContext(env, {
    later,
    countsMs: DURATIONS.countsOfObject,
    caller: callerIn(() => kept.session, target.caller, Date.now),
    browserLink: (call) => openBrowserLink(kept.tabs.asking, session(), call),
    host: host?.abilities,
    inquire: (call, server) => openInquiry(kept.tabs.asking, session(), call, server),
  });
}
