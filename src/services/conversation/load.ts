// load_skill and unload_skill: what they check, in which order, and what they answer.

import { type CatalogEntry, refOf } from "../../domain/catalog/catalog";
import { resolveDependencies } from "../../domain/catalog/dependencies";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import { type Activation, activeSkills, apply } from "../../domain/conversation/activation";
import { evictions } from "../../domain/conversation/budget";
import type { ConversationEvent } from "../../domain/conversation/event";
import { renderLoaded, TEXTS } from "../../domain/conversation/prompt";
import { deliversInAnswer } from "../../domain/conversation/settings";
import { satisfiesRange } from "../../domain/reference";
import { escapeSkillTags } from "../../domain/tags";
import { failed, type ToolResult, text } from "../../domain/tool";
import { findInView } from "../catalog/catalog";
import { keepInstructions } from "../catalog/instructions";
import type { Context } from "../context";
import { record, type Session, touch } from "../session";
import { broughtText } from "../tools/explain";
import { connectSources } from "../tools/sources";

/** To an MCP host the instructions always go in the answer, and `again` repeats those of a skill that is active already. */
export interface LoadHow {
  toHost: boolean;
  again: boolean;
}

/**
 * Loads a skill: not in the catalog, already active, without content, else loaded with its dependencies first. Call it inside
 * `exclusively`, in a turn.
 */
export async function loadSkill(
  context: Context,
  session: Session,
  view: View,
  name: string,
  { toHost, again }: LoadHow = { toHost: false, again: false },
): Promise<ToolResult> {
  const { state } = session;
  const { policy, turn } = state;
  if (policy === null) throw new Error("load_skill outside a turn");
  const entry = await findInView(context, view, name);
  if (entry === null) return failed(TEXTS.notAvailable(name, availableNames(view)));

  const active = activeSkills(state);
  const inAnswer = deliversInAnswer(policy);
  const already = active.find((activation) => activation.skill.name === name);
  if (already !== undefined) {
    const delivered = policy.tool_style === "skill" ? [name] : [];
    const isInAnswer = delivered.length === 0 || state.delivered.get(name) === already.skill.version_id;
    // A second load in a turn says no more than that the skill was used.
    if (state.roots.get(name) === turn && isInAnswer) touch(session, context, name);
    else record(session, context, [{ type: "loaded", turn, name, skills: [already.skill], delivered }]);
    // The one-tool style always answers with the body; load_skill does not repeat it.
    if (policy.tool_style === "skill") return text(bodyOf(session, already.skill.version_id));
    const brought = await bring(context, session, view, [name]);
    if (again && toHost)
      return text(`${TEXTS.loaded(name, "tool_result")}${brought}${blockOf(session, [already.skill])}`);
    return text(TEXTS.alreadyActive(name) + brought);
  }
  if (entry.tokens === 0 && !entry.has_capabilities) return failed(TEXTS.noContent(name));

  const resolved = await resolveDependencies(entry, (needed, ranges) =>
    findBeside(context, view, active, needed, ranges),
  );
  if ("problem" in resolved) return failed(`Error: ${resolved.problem}`);
  const skills = resolved.entries.map(refOf);
  const clash = skills.find((skill) =>
    active.some((a) => a.skill.name === skill.name && a.skill.version_id !== skill.version_id),
  );
  if (clash !== undefined) {
    return failed(
      `Error: Skill '${name}' needs version ${clash.version ?? "without label"} of '${clash.name}', and another one is loaded.`,
    );
  }
  // What is active already has its instructions in the prompt or in an earlier answer.
  const fresh = skills.filter((skill) => !active.some((activation) => activation.skill.name === skill.name));
  const answered = policy.tool_style === "skill" ? [name] : inAnswer ? fresh.map((skill) => skill.name) : [];
  const loaded: ConversationEvent = { type: "loaded", turn, name, skills, delivered: answered };
  // What does not fit is not read either.
  if (!evictions(apply(state, loaded), name).fits)
    return failed(`Error: Skill '${name}' does not fit into this conversation's budget for skills.`);
  await keepInstructions(context, session, skills);
  const { leaving } = evictions(apply(session.state, loaded), name);
  record(session, context, [
    loaded,
    ...leaving.map((other): ConversationEvent => ({ type: "unloaded", turn, name: other, reason: "evicted" })),
  ]);
  const made = leaving.length === 0 ? "" : TEXTS.evicted(leaving);
  const names = fresh.map((skill) => skill.name);
  const brought = await bring(context, session, view, names);
  if (policy.tool_style === "skill") return text(`${bodyOf(session, entry.version_id)}${made}${brought}`);
  const answer = TEXTS.loaded(name, toHost ? "tool_result" : policy.delivery) + made + brought;
  if (!inAnswer && !toHost) return text(answer);
  return text(answer + blockOf(session, fresh));
}

/** Instructions as the one-tool style answers them: no block stands around them, and they make none of their own. */
function bodyOf(session: Session, versionId: string): string {
  return escapeSkillTags(session.store.instructions(versionId)?.trim() ?? "");
}

/** The instructions of skills as an answer carries them. */
function blockOf(session: Session, skills: readonly SkillRef[]): string {
  const bodies = skills
    .filter((skill) => skill.tokens > 0)
    .map((skill) => ({ name: skill.name, instructions: session.store.instructions(skill.version_id) ?? "" }));
  return bodies.length === 0 ? "" : `\n\n${renderLoaded(bodies, [])}`;
}

/** What is said of the tools that skills brought, once their servers had a moment to connect. */
async function bring(context: Context, session: Session, view: View, names: readonly string[]): Promise<string> {
  await connectSources(context, session, view, names);
  return broughtText(context, session, view, names);
}

/** Unloads a skill the model no longer needs. Preloaded and selected ones stay, and so does what another skill depends on. */
export function unloadSkill(context: Context, session: Session, name: string): ToolResult {
  const { state } = session;
  const activation = activeSkills(state).find((candidate) => candidate.skill.name === name);
  if (activation === undefined) return failed(`Error: Skill '${name}' is not loaded.`);
  if (state.preloaded.includes(name)) return failed(`Error: Skill '${name}' is preloaded and cannot be unloaded.`);
  if (state.selected.includes(name))
    return failed(`Error: Skill '${name}' was selected by the user and cannot be unloaded.`);
  const dependants = () =>
    activeSkills(session.state)
      .filter((candidate) => candidate.skill.dependencies.includes(name))
      .map((candidate) => `'${candidate.skill.name}'`);
  if (!state.roots.has(name))
    return failed(`Error: Skill '${name}' is needed by ${dependants().join(", ")}. Unload that instead.`);
  record(session, context, [{ type: "unloaded", turn: state.turn, name, reason: "requested" }]);
  const still = activeSkills(session.state).some((candidate) => candidate.skill.name === name);
  return text(
    still ? `${TEXTS.unloaded(name)} It stays while ${dependants().join(", ")} needs it.` : TEXTS.unloaded(name),
  );
}

/** A dependency for a skill to be loaded. What is active stays at its version within the turn, if that suits. */
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
  return { ...found, skill_id, version_id, version, tokens, bytes, needs: dependencies };
}

function availableNames(view: View): string[] {
  return view.catalog.entries.map((entry) => entry.name);
}
