// Search results as a model sees them. Golden files fix the text.

import { SEARCH_LIMITS } from "../limits";
import { escapeSkillTags } from "../tags";
import { catalogLine, estimateTokens, oneLine } from "../tokens";
import type { CatalogEntry } from "./catalog";

/** Characters of the query repeated in the result. */
const QUERY_CHARS = 60;

/**
 * Returns the lines of the best skills, as in the list, and what to do with them; within `SEARCH_LIMITS.shownTokens`.
 *
 * @param tool the tool to call with the name of a skill
 */
export function renderFound(
  found: readonly Pick<CatalogEntry, "name" | "description">[],
  query: string,
  tool: string,
): string {
  if (found.length === 0) {
    const text = oneLine(query);
    const shown = text.length > QUERY_CHARS ? `${text.slice(0, QUERY_CHARS).toWellFormed()}…` : text;
    return `No available skill matches '${escapeSkillTags(shown)}'. Call find_skill again with other words, in English too: the task, the tool or the kind of file.`;
  }
  const rest = `\n\nCall ${tool} with the name of the one that fits.`;
  const room = SEARCH_LIMITS.shownTokens - estimateTokens(rest);
  const fitting = found.filter((_, n) => bare(found.slice(0, n + 1)) <= room || n === 0);
  const each = Math.floor((room - bare(fitting)) / fitting.length) + LEAST;
  return fitting.map(({ name, description }) => catalogLine(name, description, each)).join("\n") + rest;
}

/** Minimum tokens of a description worth showing; shorter ones only show the name. */
const LEAST = 6;

/** Tokens of lines that contain little more than names. */
function bare(found: readonly Pick<CatalogEntry, "name">[]): number {
  return found.reduce((sum, { name }) => sum + estimateTokens(`${catalogLine(name, "")}\n`) + LEAST, 0);
}
