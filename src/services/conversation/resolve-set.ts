// Resolves the skills that a turn activates, each name at one version.

import { refOf } from "../../domain/catalog/catalog";
import { type FindSkill, Resolver } from "../../domain/catalog/dependencies";
import { type MissingDependency, missingDependencyText } from "../../domain/catalog/dependency-list";
import { isPinned, type Picked } from "../../domain/catalog/pin";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import { overCeiling, overRow } from "../../domain/conversation/budget";
import type { Issue } from "../../domain/errors";
import { satisfiesRange } from "../../domain/reference";
import { findInView, prefetchDependencies } from "../catalog/catalog";
import type { Context } from "../context";

/** The warning for a skill loaded in an earlier turn that is no longer available. */
export const STANDING = "SKILL_UNLOADED";

/** A skill that a turn activates. */
export type WantedInTurn = Partial<Picked> & {
  name: string;
  /** Code of the warning if it is not available. */
  code: string;
};

/** Skills of a turn at their versions. */
export interface ResolvedSet {
  /** With their dependencies. */
  skills: SkillRef[];
  direct: ReadonlySet<string>;
  missed: ReadonlySet<string>;
  warnings: Issue[];
}

/** Resolves skills with their dependencies, each name at one version. Unavailable skills are left out with a warning. */
export async function resolveSet(context: Context, view: View, wanted: readonly WantedInTurn[]): Promise<ResolvedSet> {
  const names = wanted.map(({ name }) => name);
  await prefetchDependencies(context, view, names);
  const find: FindSkill = (name, ranges) => findInView(context, view, name, ranges);
  // Resolved together, so that each skill has one version that satisfies all ranges. Later names must fit to earlier ones.
  const resolver = new Resolver(find);
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  const direct = new Set<string>();
  const missed = new Set<string>();
  const warnings: Issue[] = [];
  const reportedSet = new Set<MissingDependency>();
  for (const { name, code, pin = null, range = "*" } of wanted) {
    const entry = await find(name, []);
    // The author may have excluded it from models after it was loaded.
    const staysActive = entry?.user_only === true && code === STANDING;
    const isMeant = entry !== null && !staysActive && isPinned(pin, entry) && satisfiesRange(entry.version, range);
    if (direct.has(name) && isMeant) continue;
    const unavailable = { problem: `Skill '${name}' is not available.`, code: undefined };
    const found = isMeant ? await resolver.add(entry) : unavailable;
    if (found !== null) {
      missed.add(name);
      warnings.push({ code: found.code ?? code, message: found.problem, path: name });
      continue;
    }
    // The budget evicts loaded skills first, and preloaded and selected ones last.
    const all = resolver.entries();
    if (overRow(all) || (code !== STANDING && overCeiling(all, ceiling))) {
      resolver.takeBack();
      const message = `Skill '${name}' was not activated: active skills would be too large with its dependencies (limit ${ceiling} tokens of instructions). Select fewer skills.`;
      warnings.push({ code: "OVER_CEILING", message, path: name });
      continue;
    }
    direct.add(name);
    for (const unmet of resolver.unmet()) {
      if (reportedSet.has(unmet)) continue;
      reportedSet.add(unmet);
      // For loaded skills, the model was informed in the result.
      if (code !== STANDING)
        warnings.push({ code: "DEPENDENCY_MISSING", message: missingDependencyText(unmet), path: unmet.by });
    }
  }
  return { skills: resolver.entries().map(refOf), direct, missed, warnings };
}
