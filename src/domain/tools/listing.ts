// Decides whether a conversation lists the tools of its servers or searches them. Decided rarely, because the list is at the start of the
// cached prompt prefix.

import * as z from "zod";
import { estimateTokens } from "../tokens";
import type { ToolDefinition } from "../tool";
import { TOOL_SEARCH_LIMITS } from "./limits";

/** The conversation's setting. `auto`: depends on the number of tools. */
export const TOOL_LISTS = ["auto", "list", "search"] as const;
export type ToolListing = (typeof TOOL_LISTS)[number];

/** The stored decision and its basis. */
export const toolFindingSchema = z.lazy(() =>
  z.object({
    set: z.enum(TOOL_LISTS),
    /** Servers whose tools are searched; `null`: they are listed. */
    finds: z.array(z.string()).nullable(),
    /** Servers whose tools were known; `null`: a new decision is due. */
    counted: z.array(z.string()).nullable(),
  }),
);
export type ToolFinding = z.infer<typeof toolFindingSchema>;

/** Whether tools are searched instead of listed. */
export function areToolsFound(tools: readonly ToolDefinition[], set: ToolListing): boolean {
  if (set !== "auto") return set === "search";
  if (tools.length > TOOL_SEARCH_LIMITS.tools) return true;
  let tokens = 0;
  return tools.some((tool) => {
    tokens += estimateTokens(JSON.stringify(tool));
    return tokens > TOOL_SEARCH_LIMITS.tokens;
  });
}
