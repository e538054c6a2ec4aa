// The chat endpoint's part in a conversation, fetched when the first chat begins.

import type { ChatReply, ChatRequest } from "../services/chat/api";
import type { Context } from "../services/context";
import type { RunningCalls } from "../services/conversation/running";
import type { Session } from "../services/session";

/** Kept from the first request on: asking for it again would be one more wait in each. */
let object: typeof import("../services/chat/object") | null = null;

export async function answerChat(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ChatRequest,
): Promise<ChatReply> {
  object ??= await import("../services/chat/object");
  return object.takeChat(context, session, running, request);
}
