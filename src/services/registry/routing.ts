// Builds the routing report: whether search finds a skill by its example prompts, and which skills rank higher. It covers the catalog as
// the publisher sees it, so that it reveals no other skills.

import { visibleScopes } from "../../domain/access/access";
import { type SearchText, whenToUseOf } from "../../domain/catalog/search";
import { SEARCH_LIMITS } from "../../domain/limits";
import { isForUsers, type SkillPackage } from "../../domain/package/skill";
import { isIndexMissing } from "../../storage/d1/database";
import { searchOnTrial, type TrialHit } from "../../storage/d1/search";
import type { Context } from "../context";
import { allowedOf } from "./by-name";

/** A prompt of the package and its search result. */
export interface RoutedPrompt {
  prompt: string;
  /** Rank of the skill after publishing; `null` below `SEARCH_LIMITS.routingDepth`. */
  rank: number | null;
  /** Rank if example prompts were not indexed: an estimate for other wordings. */
  rank_without_examples: number | null;
  /** The first skills that rank higher. */
  ahead: string[];
}

export interface RoutingReport {
  prompts: RoutedPrompt[];
  /** Skills that rank higher and for how many prompts, most frequent first. */
  neighbours: { skill: string; prompts: number }[];
}

/** Characters of a prompt shown in the report, and number of skills named. */
const PROMPT_CHARS = 200;
const AHEAD = SEARCH_LIMITS.shown;
const NEIGHBOURS = 10;

/** Indexes of the results with and without example prompts. */
const [WITH, WITHOUT] = [0, 1];

/** Searches for a package with its example prompts. Returns `null` if it has none, if models cannot find it, or if there is no index. */
export async function reportRouting(
  context: Context,
  found: Pick<SkillPackage, "name" | "manifest" | "frontmatter" | "instructions">,
  scope: string,
): Promise<RoutingReport | null> {
  const { name, manifest, frontmatter, instructions } = found;
  const examples = (manifest.examples ?? []).slice(0, SEARCH_LIMITS.routingPrompts);
  if (examples.length === 0 || !context.settings.SKILLS_ENABLED || isForUsers(frontmatter)) return null;
  const scopes = visibleScopes(context.caller.principal);
  const { displayName = null, description, tags } = manifest;
  const text: SearchText = {
    ...{ name, displayName, description, tags, examples, instructions },
    // A scope that the publisher does not see would not be searched.
    scope: scopes.includes(scope) ? scope : (scopes[0] ?? scope),
    whenToUse: whenToUseOf(frontmatter),
  };
  const only =
    context.settings.SKILLS_ALLOWED.length === 0 ? null : (await allowedOf(context, scopes)).map((row) => row.name);
  try {
    const trials = [text, { ...text, examples: [] }];
    const how = { limit: SEARCH_LIMITS.routingDepth + trials.length, only };
    const hits = await searchOnTrial(context.db, scopes, trials, examples, how);
    return report(examples, hits);
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
    return null;
  }
}

function report(examples: readonly string[], hits: readonly TrialHit[][]): RoutingReport {
  const counts = new Map<string, number>();
  const prompts = examples.map((example, n): RoutedPrompt => {
    const own = hits[n] ?? [];
    const before = namesBefore(own, WITHOUT);
    const ahead = (before ?? namesBefore(own, null) ?? []).slice(0, AHEAD);
    for (const name of ahead) counts.set(name, (counts.get(name) ?? 0) + 1);
    return {
      prompt: example.slice(0, PROMPT_CHARS).toWellFormed(),
      rank: rankAfter(namesBefore(own, WITH)),
      rank_without_examples: rankAfter(before),
      ahead,
    };
  });
  const neighbours = [...counts].map(([skill, count]) => ({ skill, prompts: count }));
  return { prompts, neighbours: neighbours.toSorted((a, b) => b.prompts - a.prompts).slice(0, NEIGHBOURS) };
}

/** Returns the skills before a trial, `null` if it is not found. Without a trial: all hits. */
function namesBefore(hits: readonly TrialHit[], trial: number | null): string[] | null {
  const at = trial === null ? hits.length : hits.findIndex((hit) => hit.trial === trial);
  if (at < 0) return null;
  const names = hits.slice(0, at).flatMap((hit) => (hit.trial === null ? [hit.name] : []));
  return names.length < SEARCH_LIMITS.routingDepth || trial === null ? names : null;
}

function rankAfter(before: readonly string[] | null): number | null {
  return before === null ? null : before.length + 1;
}
