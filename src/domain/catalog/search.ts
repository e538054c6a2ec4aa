// What the search index holds of a skill, and what is asked of it.

import type { JsonObject } from "../json";
import { SEARCH_LIMITS } from "../limits";
import { indexTerms, isUnspaced, queryTermsOfRun, runsOf, significantRuns } from "./search-words";

/**
 * Weights of the columns name, description, tags, examples and body. Columns without a length limit for authors have the lowest weight.
 * `npm run bench:search` validates them across prompts and catalogs.
 */
export const SEARCH_WEIGHTS = [10, 4, 4, 2, 1] as const;

/** What is searched of a skill at a version. */
export interface SearchText {
  scope: string;
  name: string;
  displayName: string | null;
  description: string;
  tags: readonly string[];
  /** More of the description, as some hosts have it (`when_to_use`). */
  whenToUse: string | null;
  /** Requests that the skill is for, in its author's words. */
  examples: readonly string[];
  instructions: string;
}

/** A skill's row as the index has it. */
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

/** More of a description, where the frontmatter has it. */
export function whenToUseOf(frontmatter: JsonObject): string | null {
  const { when_to_use: text } = frontmatter;
  return text === undefined || text === null ? null : typeof text === "string" ? text : JSON.stringify(text);
}

/** The text as the index takes it: its terms, separated by spaces. */
export function indexText(...texts: readonly string[]): string {
  return texts.flatMap(runsOf).flatMap(indexTerms).join(" ");
}

/**
 * Example prompts as the index takes them. Nobody wins every search by writing the dictionary into them: the first few count, of each
 * only so many words that the skill's own texts do not have, and no word twice, since repeating it would outweigh a name.
 */
function exampleText(examples: readonly string[], own: readonly string[]): string {
  const known = new Set(own.flatMap(runsOf).flatMap(indexTerms));
  const kept = new Set<string>();
  let room: number = SEARCH_LIMITS.exampleChars;
  for (const example of examples.slice(0, SEARCH_LIMITS.examples)) {
    const text = example.slice(0, room);
    room -= text.length;
    let news = 0;
    for (const term of significantRuns(runsOf(text)).flatMap(queryTermsOfRun)) {
      // A word of two characters is in two pairs, one of which it shares with its neighbour.
      if (!known.has(term) && !kept.has(term)) news += isUnspaced(term) ? 0.5 : 1;
      if (known.has(term) || news <= SEARCH_LIMITS.exampleNews) kept.add(term);
    }
  }
  return [...kept].join(" ");
}

/** Somebody who types so few words may not have finished one; a sentence has whole words. */
const UNFINISHED_TERMS = 3;

/**
 * What a query asks of the index, as terms of FTS5. Whatever the query is, they are quoted. No term: there is no word in it. A skill
 * that has more of the terms ranks higher; it needs one of them. `mayGoOn`: a term may be the beginning of a word.
 */
export function queryTerms(query: string): { terms: string[]; mayGoOn: boolean } {
  const runs = significantRuns(runsOf(query.slice(0, SEARCH_LIMITS.queryChars)));
  const terms = [...new Set(runs.flatMap(queryTermsOfRun).map((term) => `"${term}"`))];
  return { terms: terms.slice(0, SEARCH_LIMITS.queryTerms), mayGoOn: terms.length <= UNFINISHED_TERMS };
}

/** The beginning of an expression of FTS5: only what is in one of these scopes. */
export function withinScopes(scopes: readonly string[]): string {
  return `{scope} : (${scopes.map((scope) => `"${scopeToken(scope)}"`).join(" OR ")})`;
}

/**
 * A scope as one term of the index: its UTF-8 bytes in digits of fixed width, so that no two scopes share one and neither
 * splitting nor stemming changes it.
 */
export function scopeToken(scope: string): string {
  return Array.from(new TextEncoder().encode(scope), (byte) => byte.toString().padStart(3, "0")).join("");
}
