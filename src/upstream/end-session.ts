// Ends sessions at MCP servers. Some servers keep a process for each session.

import { DURATIONS } from "../domain/durations";
import { UPSTREAM_LIMITS } from "../domain/limits";
import type { UpstreamMemory, UpstreamTarget } from "../domain/servers/memory";
import { UpstreamFault } from "./fault";
import { guardedFetch } from "./fetch";

/** Ends a session. Errors are ignored, because servers expire sessions themselves. */
export async function endServerSession(
  { type, url, headers }: UpstreamTarget,
  session: UpstreamMemory["session"],
  development: boolean,
): Promise<void> {
  if (type === "sse" || session === null || session.id === null) return;
  const named = { ...headers, "mcp-session-id": session.id, "mcp-protocol-version": session.protocol };
  const ms = DURATIONS.goodbye;
  const guard = { development, headersMs: ms, totalMs: ms, bytes: UPSTREAM_LIMITS.answerBytes };
  try {
    const answer = await guardedFetch(url, { method: "DELETE", headers: named }, guard);
    await answer.body?.cancel();
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
  }
}
