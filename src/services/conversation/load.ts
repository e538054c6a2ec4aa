// load_skill: what it checks, in which order, and what it answers.

import { type CatalogEntry, refOf } from "../../domain/catalog/catalog";
import { type DependencyProblem, type Resolution, resolveDependencies } from "../../domain/catalog/dependencies";
import { type Unmet, unmetText } from "../../domain/catalog/needs";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import type { View } from "../../domain/catalog/view";
import {
  type Activation,
  activeSkills,
  apply,
  type ConversationState,
  withNeeded,
} from "../../domain/conversation/activation";
import { evictions, overCeiling } from "../../domain/conversation/budget";
import type { ConversationEvent, Policy } from "../../domain/conversation/event";
import { presentVersion } from "../../domain/conversation/present";
import { renderLoaded, TEXTS } from "../../domain/conversation/prompt";
import { deliversInAnswer } from "../../domain/conversation/settings";
import { satisfiesRange } from "../../domain/reference";
import { escapeSkillTags } from "../../domain/tags";
import { failed, type ToolResult, text } from "../../domain/tool";
import { findForModel, findInView } from "../catalog/catalog";
import { contentsOf, keepInstructions } from "../catalog/instructions";
import type { Context } from "../context";
import { record, type Session, touch } from "../session";
import { offeredText } from "../tools/explain";
import { offeredTools } from "../tools/offered";
import { connectSources } from "../tools/sources";
import type { Seen } from "../tools/step";

export interface LoadHow {
  /**
   * Whether an MCP client asks. It gets all instructions in every answer: it takes no prompt, and another chat of its user may have
   * loaded them.
   */
  forClient: boolean;
  /** Under `auto`: the instructions are told again. */
  again: boolean;
  /** The call that loads: under `auto` its answer is where the instructions stand. */
  call: string;
}

interface Refused {
  refusal: ToolResult;
}

/** Loads a skill with its dependencies first. Call it inside `exclusively`, in a turn. */
export async function loadSkill(seen: Seen, name: string, how: LoadHow): Promise<ToolResult> {
  const { context, session, view } = seen;
  const { state } = session;
  const { policy, turn } = state;
  if (policy === null) throw new Error("load_skill outside a turn");
  const active = activeSkills(state);
  const already = active.find((activation) => activation.skill.name === name);
  const found = await findListed(context, view, name, already !== undefined);
  if ("refusal" in found) return found.refusal;
  const { forClient } = how;
  const auto = policy.delivery === "auto";
  // Under `auto` a version stays until it is loaded anew.
  const moves = auto && already?.reason !== "preloaded" && already?.skill.version_id !== found.entry.version_id;
  if (already !== undefined && !moves) return loadAgain(seen, policy, already.skill, how, found.entry.user_only);
  const whole = await withNeeds(context, view, found.entry, active);
  if ("refusal" in whole) return whole.refusal;

  const inAnswer = deliversInAnswer(policy);
  const skills = whole.entries.map(refOf);
  const contradicted = whole.unmet.find(({ needs }) => needs.some((need) => contradicts(need, active)));
  if (contradicted !== undefined)
    return failed(`Error: ${unmetText(contradicted)} Another version of one of them is loaded.`);
  const clash = skills.find(
    (skill) =>
      !(moves && skill.name === name) &&
      active.some((a) => a.skill.name === skill.name && a.skill.version_id !== skill.version_id),
  );
  if (clash !== undefined) {
    return failed(
      `Error: Skill '${name}' needs version ${clash.version ?? "without label"} of '${clash.name}', and another one is loaded.`,
    );
  }
  // What is active already has its instructions in the prompt or in an earlier answer.
  const isHeld = (skill: SkillRef) =>
    auto
      ? stands(state, skill) && !(how.again && skill.name === name)
      : active.some((a) => a.skill.name === skill.name);
  const fresh = skills.filter((skill) => !isHeld(skill));
  const answered = policy.tool_style === "skill" ? [name] : inAnswer ? fresh.map((skill) => skill.name) : [];
  const loaded: ConversationEvent = {
    ...{ type: "loaded", turn, name, skills, delivered: answered },
    ...(auto ? { call: how.call } : {}),
  };
  const before = auto ? presentVersion(state.carriers, name) : null;
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
  const told = forClient ? skills : fresh;
  const names = told.map((skill) => skill.name);
  const notes = made + withoutText(whole.unmet) + (await toolsText(seen, names));
  if (policy.tool_style === "skill" && !forClient) return text(`${bodyOf(session, found.entry.version_id)}${notes}`);
  const isShort = auto && !names.includes(name);
  const first = isShort ? TEXTS.present(name) : TEXTS.loaded(name, forClient ? "tool_result" : policy.delivery);
  const replaces = before === null || isShort ? "" : TEXTS.replaces(name, before.version, found.entry.version);
  const answer = replaces + first + notes;
  if (!inAnswer && !forClient) return text(answer);
  return text(answer + blockOf(session, told));
}

/** Whether the model can read a skill's instructions, at this version: in its history, or in the front of its prompt. */
function stands({ carriers, preloaded }: ConversationState, { name, version_id, tokens }: SkillRef): boolean {
  return tokens === 0 || preloaded.includes(name) || presentVersion(carriers, name)?.version_id === version_id;
}

/** Loads a skill that is active: it stays longer, and its instructions are told again where they may be lost. */
async function loadAgain(
  seen: Seen,
  policy: Policy,
  skill: SkillRef,
  { forClient, again, call }: LoadHow,
  userOnly: boolean,
): Promise<ToolResult> {
  const { context, session } = seen;
  const { state } = session;
  const { name } = skill;
  const auto = policy.delivery === "auto";
  const tells = auto && (again || !stands(state, skill));
  const delivered = policy.tool_style === "skill" || tells ? [name] : [];
  const isInAnswer = delivered.length === 0 || (!auto && state.delivered.get(name) === skill.version_id);
  // A second load in a turn says no more than that the skill was used. What only users choose stays as long as they say.
  if (userOnly || (state.roots.get(name) === state.turn && isInAnswer)) touch(session, context, name);
  else
    record(session, context, [
      { type: "loaded", turn: state.turn, name, skills: [skill], delivered, ...(tells ? { call } : {}) },
    ]);
  if (forClient || tells) {
    const told = forClient ? withNeeded(session.state, name) : [skill];
    const names = told.map((one) => one.name);
    return text(`${TEXTS.loaded(name, "tool_result")}${await toolsText(seen, names)}${blockOf(session, told)}`);
  }
  // The one-tool style always answers with the body; load_skill does not repeat it.
  if (policy.tool_style === "skill") return text(bodyOf(session, skill.version_id));
  return text((auto ? TEXTS.present(name) : TEXTS.alreadyActive(name)) + (await toolsText(seen, [name])));
}

/** What a client without a conversation gets of `load_skill`: the instructions of the skill and of what it needs. Nothing is kept. */
export async function showSkill(context: Context, view: View, name: string): Promise<ToolResult> {
  const found = await findListed(context, view, name, false);
  if ("refusal" in found) return found.refusal;
  const whole = await withNeeds(context, view, found.entry, []);
  if ("refusal" in whole) return whole.refusal;
  const { entries, unmet } = whole;
  const ceiling = context.settings.SKILL_TOKENS_MAX;
  if (overCeiling(entries, ceiling))
    return failed(
      `Error: Skill '${name}' and what it needs have more than ${ceiling} tokens of instructions together.`,
    );
  const contents = await contentsOf(
    context,
    entries.map((skill) => skill.version_id),
  );
  const bodies = entries
    .map((skill) => ({ name: skill.name, instructions: contents.get(skill.version_id)?.instructions ?? "" }))
    .filter((skill) => skill.instructions.trim() !== "");
  const tools = entries.some((skill) => skill.has_capabilities)
    ? " Its tools, if it has any, need a conversation: connect to /mcp/{conversation_id} instead of /mcp."
    : "";
  const block = bodies.length === 0 ? "" : `\n\n${renderLoaded(bodies, [])}`;
  return text(`${TEXTS.loaded(name, "tool_result")}${withoutText(unmet)}${tools}${block}`);
}

/** The first check of every loading: whether the catalog has the skill for a model, or a user has chosen it. */
async function findListed(
  context: Context,
  view: View,
  name: string,
  isActive: boolean,
): Promise<Refused | { entry: CatalogEntry }> {
  const entry = await findForModel(context, view, name, isActive);
  return entry === null ? { refusal: failed(TEXTS.notAvailable(name, view)) } : { entry };
}

/** What an answer says of dependencies that the loaded skills go without. */
function withoutText(unmet: readonly Unmet[]): string {
  return unmet.map((one) => ` ${escapeSkillTags(unmetText(one))}`).join("");
}

/** Whether a skill is active at another version than a need says. */
function contradicts({ name, range, kind }: Unmet["needs"][number], active: readonly Activation[]): boolean {
  if (kind !== "marked") return false;
  return active.some(({ skill }) => skill.name === name && !satisfiesRange(skill.version, range));
}

/** The checks that follow for a skill that is not active: it has content, and all that it needs is there. Dependencies first. */
async function withNeeds(
  context: Context,
  view: View,
  entry: CatalogEntry,
  active: readonly Activation[],
): Promise<Refused | Exclude<Resolution, DependencyProblem>> {
  if (entry.tokens === 0 && !entry.has_capabilities) return { refusal: failed(TEXTS.noContent(entry.name)) };
  const resolved = await resolveDependencies(entry, (needed, ranges) =>
    findBeside(context, view, active, needed, ranges),
  );
  return "problem" in resolved ? { refusal: failed(`Error: ${resolved.problem}`) } : resolved;
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

/** What is said of the tools that skills offer, once their servers had a moment to connect. */
async function toolsText(seen: Seen, names: readonly string[]): Promise<string> {
  await connectSources(seen, names);
  return offeredText(await offeredTools(seen), names, seen.session.state.policy?.tool_mode ?? "dynamic");
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
  // What it needs was settled when it was loaded: these are skills.
  const needs = dependencies.map((needed) => `${needed}@*`);
  return { ...found, skill_id, version_id, version, tokens, bytes, needs, user_only: false };
}
