// Renders results of a tool search for a model: complete definitions, because the model calls by them.

import { escapeSkillTags } from "../tags";
import { oneLine } from "../tokens";
import type { FindableTool } from "./find";
import { TOOL_SEARCH_LIMITS } from "./limits";

/** The result for a query without words. */
const WORDLESS = "The query is empty. Call find_tool again with a few words about the task, such as: refund a payment.";
/** Characters of the query repeated in the result, in UTF-16 units. */
const QUERY_CHARS = 60;

/**
 * Returns one line of JSON per tool, as many as fit, and how to call them. The texts come from servers and are escaped.
 *
 * @param notes about servers that may have further tools
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
