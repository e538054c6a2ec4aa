// Searches tools by purpose, if a conversation has too many to list. Only currently offered tools are searched; word counts of a definition
// are cached.

import { indexTerms, queryTermsOfRun, runsOf, significantRuns, stemOf } from "../catalog/search-words";
import { isJsonObject, type JsonObject } from "../json";
import { SEARCH_LIMITS } from "../limits";
import type { ToolDefinition } from "../tool";
import { TOOL_SEARCH_LIMITS } from "./limits";

/** A searchable tool. */
export interface FindableTool {
  /** Name of its server or skill. */
  source: string;
  definition: ToolDefinition;
}

/** Weights of the parts of a definition. */
const WEIGHTS = { name: 3, description: 1.5, source: 1, schema: 0.5 } as const;
/** BM25 constants: saturation of repeated words, and the penalty for long texts. */
const SATURATION = 1.2;
const LENGTH = 0.4;

/**
 * Returns the best matches, best first; at most `TOOL_SEARCH_LIMITS.shown`. A tool requested by name comes first; tools without a common
 * word are left out.
 */
export function findTools<T extends FindableTool>(tools: readonly T[], query: string): T[] {
  const runs = significantRuns(runsOf(apart(query.slice(0, SEARCH_LIMITS.queryChars))));
  const asked = [...new Set(runs.flatMap(queryTermsOfRun).map(termOf))].slice(0, SEARCH_LIMITS.queryTerms);
  const indexed = tools.map((tool) => ({ tool, ...wordsOf(tool) }));
  const mean = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length);
  const worth = asked.map((term) => ({ term, worth: rarityOf(term, indexed) }));
  const scored = indexed.map(({ tool, terms, length }) => {
    const norm = SATURATION * (1 - LENGTH + (LENGTH * length) / Math.max(1, mean));
    if (tool.definition.name === query.trim()) return { tool, score: Number.POSITIVE_INFINITY };
    const score = worth.reduce((sum, one) => {
      const weight = terms.get(one.term) ?? 0;
      return sum + (one.worth * weight * (SATURATION + 1)) / (weight + norm);
    }, 0);
    return { tool, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, TOOL_SEARCH_LIMITS.shown)
    .map(({ tool }) => tool);
}

/** Groups of synonyms. They count as one word, so that a common one has little weight in any form. */
const ALIKE = [
  "find search look lookup query",
  "create add new make",
  "delete remove erase trash",
  "update change edit modify",
  "show view display read",
  "email mail message",
  "bug issue ticket",
  "meeting event appointment",
  "document doc",
  "person people user",
  "picture image photo",
  "folder directory",
  "repo repository",
  "pr pull",
];

/** Maps stems to their group's first word; created on first use. */
let alike: ReadonlyMap<string, string> | undefined;

/** Returns the search term of a word: its stem, or the first word of its synonym group. */
function termOf(word: string): string {
  alike ??= new Map(
    ALIKE.map((words) => words.split(" ").map(stemOf)).flatMap((stems) =>
      stems.map((stem) => [stem, stems[0] ?? stem]),
    ),
  );
  const stem = stemOf(word);
  return alike.get(stem) ?? stem;
}

function rarityOf(term: string, indexed: readonly { terms: ReadonlyMap<string, number> }[]): number {
  const having = indexed.filter(({ terms }) => terms.has(term)).length;
  return Math.log(1 + (indexed.length - having + 0.5) / (having + 0.5));
}

/** Returns the words of a tool with their total weight. */
interface ToolWords {
  terms: ReadonlyMap<string, number>;
  length: number;
}

/** Word counts of searched definitions with their source. Definitions are immutable. */
const counted = new WeakMap<ToolDefinition, ToolWords & { source: string }>();

function wordsOf(tool: FindableTool): ToolWords {
  const { source, definition } = tool;
  const known = counted.get(definition);
  if (known?.source === source) return known;
  const words = { ...weighted(tool), source };
  counted.set(definition, words);
  return words;
}

function weighted({ source, definition }: FindableTool): ToolWords {
  const { name, description, annotations, inputSchema } = definition;
  const terms = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const run of runsOf(apart(text.slice(0, TOOL_SEARCH_LIMITS.textChars)))) {
      length += weight;
      for (const term of indexTerms(run).map(termOf)) terms.set(term, (terms.get(term) ?? 0) + weight);
    }
  };
  add(`${name} ${annotations?.title ?? ""}`, WEIGHTS.name);
  add(source, WEIGHTS.source);
  add(description, WEIGHTS.description);
  add(schemaWords(inputSchema), WEIGHTS.schema);
  return { terms, length };
}

/** Returns names and descriptions of the arguments. */
function schemaWords({ properties }: JsonObject): string {
  if (!isJsonObject(properties)) return "";
  return Object.entries(properties)
    .map(([name, schema]) => {
      const schemaDescription = isJsonObject(schema) ? schema.description : undefined;
      return typeof schemaDescription === "string" ? `${name} ${schemaDescription}` : name;
    })
    .join(" ");
}

/** Splits `createIssue` into two words. */
function apart(text: string): string {
  return text.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ");
}
