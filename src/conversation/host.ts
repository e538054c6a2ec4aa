// What an MCP host asks of a conversation that is no tool, fetched when the first one does.

import type { JsonObject } from "../domain/json";
import type { Context } from "../services/context";
import type { HostAsk } from "../services/conversation/api";
import type { Session } from "../services/session";

/** The answer, as `answerAsk` gives it: `null` where nothing of this name is here. */
export async function answerHostAsk(
  context: Context,
  session: Session,
  preload: string[],
  ask: HostAsk,
): Promise<JsonObject | null> {
  const { answerAsk } = await import("../services/conversation/host/ask");
  return answerAsk(context, session, preload, ask);
}
