// What a search answers a model. Its text is pinned by golden files.

import { SEARCH_LIMITS } from "../limits";
import { escapeSkillTags } from "../tags";
import { catalogLine, estimateTokens, oneLine } from "../tokens";
import type { CatalogEntry } from "./catalog";

/** How much of a query is repeated to whoever wrote it. */
const QUERY_CHARS = 60;

/**
 * The lines of the best skills, as in the list, and what to do with them; within `SEARCH_LIMITS.shownTokens`.
 *
 * @param tool what to call with the name of a skill
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

/** What of a description is worth showing: a name that leaves no room for it has to be read anyway. */
const LEAST = 6;

/** Tokens of lines that say next to nothing but names. */
function bare(found: readonly Pick<CatalogEntry, "name">[]): number {
  return found.reduce((sum, { name }) => sum + estimateTokens(`${catalogLine(name, "")}\n`) + LEAST, 0);
}
