// Loads the code for MCP requests other than tool calls with the first such request.

import type { JsonObject } from "../domain/json";
import type { Context } from "../services/context";
import type { HostAsk } from "../services/conversation/api";
import type { Session } from "../services/session";

/** Returns the result of `answerAsk`; `null` if the name is not found. */
export async function answerHostAsk(
  context: Context,
  session: Session,
  preload: string[],
  ask: HostAsk,
): Promise<JsonObject | null> {
  const { answerAsk } = await import("../services/conversation/host/ask");
  return answerAsk(context, session, preload, ask);
}
