// The texts of a skill in the search index, and the terms of queries.

import type { JsonObject } from "../json";
import { SEARCH_LIMITS } from "../limits";
import { indexTerms, isUnspaced, queryTermsOfRun, runsOf, significantRuns } from "./search-words";

/**
 * Weights of the columns name, description, tags, examples and body. Columns without a length limit for authors have the lowest weight.
 * `npm run bench:search` validates them across prompts and catalogs.
 */
export const SEARCH_WEIGHTS = [10, 4, 4, 2, 1] as const;

/** The searched texts of a skill at one version. */
export interface SearchText {
  scope: string;
  name: string;
  displayName: string | null;
  description: string;
  tags: readonly string[];
  /** Further description in the format of some hosts (`when_to_use`). */
  whenToUse: string | null;
  /** Example requests from the skill's author. */
  examples: readonly string[];
  instructions: string;
}

/** Returns a skill's row in the index. */
export function indexedText(skill: SearchText) {
  const body = skill.instructions.slice(0, SEARCH_LIMITS.bodyChars);
  return {
    scope: scopeToken(skill.scope),
    name: indexText(skill.name, skill.displayName ?? ""),
    description: indexText(skill.description, skill.whenToUse ?? ""),
    tags: indexText(...skill.tags),
    examples: exampleText(skill.examples, [skill.name, skill.description, body]),
    body: indexText(body),
  };
}

/** Returns the frontmatter's `when_to_use`, if any. */
export function whenToUseOf(frontmatter: JsonObject): string | null {
  const { when_to_use: text } = frontmatter;
  return text === undefined || text === null ? null : typeof text === "string" ? text : JSON.stringify(text);
}

/** Returns a text as index terms, separated by spaces. */
export function indexText(...texts: readonly string[]): string {
  return texts.flatMap(runsOf).flatMap(indexTerms).join(" ");
}

/**
 * Returns the indexed part of example prompts. To prevent keyword stuffing, only the first few count, each with a limited number of words
 * that the skill's other texts do not have, and no word twice.
 */
function exampleText(examples: readonly string[], own: readonly string[]): string {
  const known = new Set(own.flatMap(runsOf).flatMap(indexTerms));
  const seenNames = new Set<string>();
  let room: number = SEARCH_LIMITS.exampleChars;
  for (const example of examples.slice(0, SEARCH_LIMITS.examples)) {
    const text = example.slice(0, room);
    room -= text.length;
    let news = 0;
    for (const term of significantRuns(runsOf(text)).flatMap(queryTermsOfRun)) {
      // A word of two characters is part of two pairs, one of which it shares with its neighbour.
      if (!known.has(term) && !seenNames.has(term)) news += isUnspaced(term) ? 0.5 : 1;
      if (known.has(term) || news <= SEARCH_LIMITS.exampleNews) seenNames.add(term);
    }
  }
  return [...seenNames].join(" ");
}

/** In queries of at most this many words, the last word may be incomplete. */
const UNFINISHED_TERMS = 3;

/**
 * Returns the FTS5 terms of a query, quoted; empty if it has no words. Skills with more of the terms rank higher; one term suffices.
 * `mayGoOn`: a term can be a prefix.
 */
export function queryTerms(query: string): { terms: string[]; mayGoOn: boolean } {
  const runs = significantRuns(runsOf(query.slice(0, SEARCH_LIMITS.queryChars)));
  const terms = [...new Set(runs.flatMap(queryTermsOfRun).map((term) => `"${term}"`))];
  return { terms: terms.slice(0, SEARCH_LIMITS.queryTerms), mayGoOn: terms.length <= UNFINISHED_TERMS };
}

/** Returns the start of an FTS5 expression that restricts it to these scopes. */
export function withinScopes(scopes: readonly string[]): string {
  return `{scope} : (${scopes.map((scope) => `"${scopeToken(scope)}"`).join(" OR ")})`;
}

/**
 * Returns a scope as one index term: its UTF-8 bytes in digits of fixed width, so that terms are unique and tokenization does not change
 * them.
 */
export function scopeToken(scope: string): string {
  return Array.from(new TextEncoder().encode(scope), (byte) => byte.toString().padStart(3, "0")).join("");
}
