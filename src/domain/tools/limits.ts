// How many tools are too many to list, and what a search for them takes and shows.

/**
 * When the tools of servers are found in place of listed, and what finding shows: models choose worse among more, and every request
 * carries the list.
 */
export const TOOL_SEARCH_LIMITS = {
  tools: 40,
  tokens: 6_000,
  /** How many tools a search answers with, and how long their definitions may be together, in UTF-16 units. */
  shown: 5,
  shownChars: 32_000,
  /** How much is searched of each text of a tool: the first search of 256 tools with long texts takes tens of milliseconds. */
  textChars: 1_000,
  /** How many servers the definition of `find_tool` names. */
  servers: 50,
} as const;
