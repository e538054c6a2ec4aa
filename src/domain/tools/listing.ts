// Whether a conversation lists the tools of its servers or finds them. Decided rarely, since the list stands before everything that a
// provider's prompt cache keeps.

import { TOOL_SEARCH_LIMITS } from "../limits";
import { estimateTokens } from "../tokens";
import type { ToolDefinition } from "../tool";

/** How a conversation is set to offer the tools of its servers. `auto`: by how many there are. */
export const TOOL_LISTS = ["auto", "list", "search"] as const;
export type ToolList = (typeof TOOL_LISTS)[number];

/**
 * Whether tools are to be found in place of listed.
 *
 * @param before what was decided last, which takes a clear change to be undone
 */
export function areFound(tools: readonly ToolDefinition[], set: ToolList, before: boolean): boolean {
  if (set !== "auto") return set === "search";
  const share = before ? TOOL_SEARCH_LIMITS.back : 1;
  if (tools.length > TOOL_SEARCH_LIMITS.tools * share) return true;
  let tokens = 0;
  return tools.some((tool) => {
    tokens += estimateTokens(JSON.stringify(tool));
    return tokens > TOOL_SEARCH_LIMITS.tokens * share;
  });
}
