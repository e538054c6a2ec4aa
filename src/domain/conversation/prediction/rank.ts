// Ranks the skills of a conversation for a user's message, in memory: a search of the index would cost a round trip in every turn.

import type { CatalogEntry } from "../../catalog/catalog";
import { indexTerms, queryTermsOfRun, runsOf, significantRuns, stemOf } from "../../catalog/search-words";
import { SEARCH_LIMITS } from "../../limits";

/** What the ranking reads of a skill. */
export type RankedSkill = Pick<CatalogEntry, "name" | "description">;

/** The skill that ranks first for a message, and how clearly. */
export interface FirstSkill<Skill extends RankedSkill = CatalogEntry> {
  skill: Skill;
  /** Its BM25 score. */
  score: number;
  /** How much of the score the second skill lacks: 0 if both are equal, 1 if no other skill matches. */
  margin: number;
  /** The part of the words of its name that the message contains. */
  named: number;
}

/** Weights of name and description, and the constants of BM25: those of the search index. */
const WEIGHTS = { name: 10, description: 4 } as const;
const SATURATION = 1.2;
const LENGTH = 0.75;

interface SkillWords {
  /** Weighted occurrences of each term. */
  terms: ReadonlyMap<string, number>;
  name: ReadonlySet<string>;
  length: number;
}

/** Words of skills that were ranked before. Entries of a catalog are immutable. */
const known = new WeakMap<RankedSkill, SkillWords>();

/** Returns the skill that ranks first for a message; `null` if no skill has a word of it. Only the beginning of the message counts. */
export function firstSkill<Skill extends RankedSkill>(
  skills: readonly Skill[],
  message: string,
): FirstSkill<Skill> | null {
  const runs = significantRuns(runsOf(message.slice(0, SEARCH_LIMITS.queryChars)));
  const asked = [...new Set(runs.flatMap(queryTermsOfRun).map(stemOf))].slice(0, SEARCH_LIMITS.queryTerms);
  const indexed = skills.map((skill) => ({ skill, ...wordsOf(skill) }));
  const mean = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length);
  const rarity = new Map(asked.map((term) => [term, rarityOf(term, indexed)]));
  let best: { skill: Skill; score: number; name: ReadonlySet<string> } | null = null;
  let second = 0;
  for (const { skill, terms, name, length } of indexed) {
    const norm = SATURATION * (1 - LENGTH + (LENGTH * length) / Math.max(1, mean));
    let score = 0;
    for (const [term, worth] of rarity) {
      const weight = terms.get(term) ?? 0;
      score += (worth * weight * (SATURATION + 1)) / (weight + norm);
    }
    if (score > (best?.score ?? 0)) {
      second = best?.score ?? 0;
      best = { skill, score, name };
    } else if (score > second) second = score;
  }
  if (best === null) return null;
  const { skill, score, name } = best;
  const inMessage = [...name].filter((term) => rarity.has(term)).length;
  return { skill, score, margin: (score - second) / score, named: inMessage / Math.max(1, name.size) };
}

/** FTS5's weight of a term that occurs in more than half of the rows. */
const COMMON = 1e-6;

function rarityOf(term: string, indexed: readonly SkillWords[]): number {
  const having = indexed.filter(({ terms }) => terms.has(term)).length;
  return Math.max(COMMON, Math.log((indexed.length - having + 0.5) / (having + 0.5)));
}

function wordsOf(skill: RankedSkill): SkillWords {
  const before = known.get(skill);
  if (before !== undefined) return before;
  const terms = new Map<string, number>();
  const name = runsOf(skill.name).flatMap(indexTerms).map(stemOf);
  const description = runsOf(skill.description).flatMap(indexTerms).map(stemOf);
  for (const term of name) terms.set(term, (terms.get(term) ?? 0) + WEIGHTS.name);
  for (const term of description) terms.set(term, (terms.get(term) ?? 0) + WEIGHTS.description);
  const words = { terms, name: new Set(name), length: name.length + description.length };
  known.set(skill, words);
  return words;
}
