// What a search for tools answers a model: whole definitions, since it calls by them.

import { escapeSkillTags } from "../tags";
import { oneLine } from "../tokens";
import type { FindableTool } from "./find";
import { TOOL_SEARCH_LIMITS } from "./limits";

/** What a query without a word is answered. */
const WORDLESS = "The query is empty. Call find_tool again with a few words about the task, such as: refund a payment.";
/** How much of a query is repeated to whoever wrote it, in UTF-16 units. */
const QUERY_CHARS = 60;

/**
 * A line of JSON for each tool, as far as there is room, and what to do with them. All of it is what servers say, so it reads as no
 * tag of the gateway.
 *
 * @param notes of servers that may have had more
 */
export function renderFoundTools(found: readonly FindableTool[], query: string, notes: readonly string[]): string {
  const rest = notes.map((note) => `\n\n${note}`).join("");
  if (found.length === 0) {
    const asked = oneLine(query).trim().slice(0, QUERY_CHARS).toWellFormed();
    if (asked === "") return escapeSkillTags(`${WORDLESS}${rest}`);
    return escapeSkillTags(`No tool matches '${asked}'. Call find_tool again with other words, in English too.${rest}`);
  }
  const lines = found.map(({ source, definition: { name, description, inputSchema, annotations } }) =>
    JSON.stringify({ name, server: source, description, inputSchema, ...(annotations ? { annotations } : {}) }),
  );
  let room: number = TOOL_SEARCH_LIMITS.shownChars;
  const shown = lines.filter((line, index) => {
    room -= line.length;
    return index === 0 || room >= 0;
  });
  const left = lines.length - shown.length;
  const cut = left === 0 ? "" : `\n\n${left} more would be too long to show here. Search for them with other words.`;
  return escapeSkillTags(`Call these with call_skill_tool(name, arguments):\n\n${shown.join("\n")}${cut}${rest}`);
}
