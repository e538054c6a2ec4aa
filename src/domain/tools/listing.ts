// Whether a conversation lists the tools of its servers or finds them. Decided rarely, since the list stands before everything that a
// provider's prompt cache keeps.

import * as z from "zod";
import { estimateTokens } from "../tokens";
import type { ToolDefinition } from "../tool";
import { TOOL_SEARCH_LIMITS } from "./limits";

/** How a conversation is set to offer the tools of its servers. `auto`: by how many there are. */
export const TOOL_LISTS = ["auto", "list", "search"] as const;
export type ToolListing = (typeof TOOL_LISTS)[number];

/** What a conversation keeps: what was decided, and what it was decided by. */
export const toolFindingSchema = z.lazy(() =>
  z.object({
    set: z.enum(TOOL_LISTS),
    /** The servers whose tools are found; `null`: they are listed. */
    finds: z.array(z.string()).nullable(),
    /** The servers whose tools were known; `null`: it is to be decided anew. */
    counted: z.array(z.string()).nullable(),
  }),
);
export type ToolFinding = z.infer<typeof toolFindingSchema>;

/** Whether tools are to be found in place of listed. */
export function areToolsFound(tools: readonly ToolDefinition[], set: ToolListing): boolean {
  if (set !== "auto") return set === "search";
  if (tools.length > TOOL_SEARCH_LIMITS.tools) return true;
  let tokens = 0;
  return tools.some((tool) => {
    tokens += estimateTokens(JSON.stringify(tool));
    return tokens > TOOL_SEARCH_LIMITS.tokens;
  });
}
