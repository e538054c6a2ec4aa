// Checks before a skill is loaded: the catalog offers it to models, it has content, and its dependencies are available.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import { type DependencyProblem, type Resolution, resolveDependencies } from "../../domain/catalog/dependencies";
import { type MissingDependency, missingDependencyText } from "../../domain/catalog/dependency-list";
import type { View } from "../../domain/catalog/view";
import type { Activation } from "../../domain/conversation/activation";
import { overCeiling } from "../../domain/conversation/budget";
import { renderLoaded, TEXTS } from "../../domain/conversation/prompt";
import { satisfiesRange } from "../../domain/reference";
import { escapeSkillTags } from "../../domain/tags";
import { failed, type ToolResult, text } from "../../domain/tool";
import { findForModel, findInView, prefetchDependencies } from "../catalog/catalog";
import { contentsOf } from "../catalog/contents";
import { notAvailable } from "../catalog/not-available";
import type { Context } from "../context";

interface Refused {
  refusal: ToolResult;
}

/** First check: the catalog offers the skill to models, or a user selected it. */
export async function findListed(
  context: Context,
  view: View,
  name: string,
  isActive: boolean,
  loadTool: string,
): Promise<Refused | { entry: CatalogEntry }> {
  const entry = await findForModel(context, view, name, isActive);
  return entry === null ? { refusal: await notAvailable(context, view, name, loadTool) } : { entry };
}

/** Further checks for a skill that is not active: it has content, and its dependencies are available. Returns dependencies first. */
export async function withNeeds(
  context: Context,
  view: View,
  entry: CatalogEntry,
  active: readonly Activation[],
): Promise<Refused | Exclude<Resolution, DependencyProblem>> {
  if (entry.tokens === 0 && !entry.has_capabilities) return { refusal: failed(TEXTS.noContent(entry.name)) };
  await prefetchDependencies(context, view, [entry.name]);
  const resolved = await resolveDependencies(entry, (needed, ranges) =>
    findBeside(context, view, active, needed, ranges),
  );
  return "problem" in resolved ? { refusal: failed(`Error: ${resolved.problem}`) } : resolved;
}

/** Finds a dependency of a skill to be loaded. An active skill stays at its version within the turn if that satisfies the range. */
async function findBeside(
  context: Context,
  view: View,
  active: readonly Activation[],
  name: string,
  ranges: readonly string[],
): Promise<CatalogEntry | null> {
  const held = active.find((activation) => activation.skill.name === name)?.skill;
  const suits = held !== undefined && ranges.every((range) => satisfiesRange(held.version, range));
  const found = await findInView(context, view, name, suits ? [] : ranges);
  if (found === null || !suits) return found;
  const { skill_id, version_id, version, tokens, bytes = 0, dependencies } = held;
  // Its dependencies were resolved when it was loaded, so these names are skills.
  const needs = dependencies.map((needed) => `${needed}@*`);
  return { ...found, skill_id, version_id, version, tokens, bytes, needs, user_only: false };
}

/** Whether a skill is active at a version outside of the required range. */
export function contradicts(
  { name, range, kind }: MissingDependency["needs"][number],
  active: readonly Activation[],
): boolean {
  if (kind !== "marked") return false;
  return active.some(({ skill }) => skill.name === name && !satisfiesRange(skill.version, range));
}

/** The note in a result about missing dependencies of the loaded skills. */
export function missingDependencyNote(unmet: readonly MissingDependency[]): string {
  return unmet.map((one) => ` ${escapeSkillTags(missingDependencyText(one))}`).join("");
}

/**
 * Returns the `load_skill` result for a client without a conversation: the instructions of the skill and its dependencies. Nothing is
 * stored.
 */
export async function readSkillForClient(context: Context, view: View, name: string): Promise<ToolResult> {
  const found = await findListed(context, view, name, false, "load_skill");
  if ("refusal" in found) return found.refusal;
  const whole = await withNeeds(context, view, found.entry, []);
  if ("refusal" in whole) return whole.refusal;
  const { entries, unmet } = whole;
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  if (overCeiling(entries, ceiling))
    return failed(
      `Error: Skill '${name}' and its dependencies are too large (limit ${ceiling} tokens of instructions). Load a smaller skill.`,
    );
  const contents = await contentsOf(
    context,
    entries.map((skill) => skill.version_id),
  );
  const bodies = entries
    .map((skill) => ({ name: skill.name, instructions: contents.get(skill.version_id)?.instructions ?? "" }))
    .filter((skill) => skill.instructions.trim() !== "");
  const tools = entries.some((skill) => skill.has_capabilities)
    ? " Tools of the skill need a conversation: connect to /mcp/{conversation_id} instead of /mcp."
    : "";
  const block = bodies.length === 0 ? "" : `\n\n${renderLoaded(bodies, [])}`;
  return text(`${TEXTS.loaded(name, "tool_result")}${missingDependencyNote(unmet)}${tools}${block}`);
}
