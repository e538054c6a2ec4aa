// The chat endpoint's part of a conversation, loaded when the first chat begins.

import type { ConversationSettings } from "../domain/conversation/settings";
import type { ChatReply, ChatRequest } from "../services/chat/api";
import type { Context } from "../services/context";
import type { RunningCalls } from "../services/conversation/running";
import type { Session } from "../services/session";

/** Cached from the first request on, because another `import()` would be one more wait. */
let object: typeof import("../services/chat/object") | null = null;

/** Returns the settings of a chat. A front end's user selects a ghost as a model, and can change it during a chat. */
export function settingsFor(
  session: Session | null,
  settings: ConversationSettings | null,
): ConversationSettings | undefined {
  if (session === null || settings === null) return settings ?? undefined;
  const { ghost } = settings;
  return ghost === undefined || ghost === session.settings.ghost ? undefined : { ghost };
}

export async function answerChat(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ChatRequest,
): Promise<ChatReply> {
  object ??= await import("../services/chat/object");
  return object.handleChat(context, session, running, request);
}
