// Limits of tool lists and tool search.

/**
 * Limits above which tools of servers are searched instead of listed, and limits of search results. Models choose worse among many tools,
 * and every request contains the list.
 */
export const TOOL_SEARCH_LIMITS = {
  tools: 40,
  tokens: 6_000,
  /** Number of search results, and their total length in UTF-16 units. */
  shown: 5,
  shownChars: 32_000,
  /** Searched characters per text of a tool: the first search of 256 tools with long texts takes tens of milliseconds. */
  textChars: 1_000,
  /** Number of servers named in the definition of `find_tool`. */
  servers: 50,
} as const;
