// load_skill: what it checks, in which order, and what it answers.

import { refOf } from "../../domain/catalog/catalog";
import { missingDependencyText } from "../../domain/catalog/dependency-list";
import type { SkillRef } from "../../domain/catalog/skill-ref";
import { type Activation, activeSkills, apply, withNeeded } from "../../domain/conversation/activation";
import { evictions } from "../../domain/conversation/budget";
import { presentVersion } from "../../domain/conversation/carriers";
import type { ConversationEvent, Policy } from "../../domain/conversation/event";
import { renderLoaded, TEXTS } from "../../domain/conversation/prompt";
import { deliversInAnswer } from "../../domain/conversation/settings";
import { escapeSkillTags } from "../../domain/tags";
import { failed, type ToolResult, text } from "../../domain/tool";
import { storeInstructions } from "../catalog/instructions";
import { record, recordUse, type Session } from "../session";
import { factsOf } from "../tools/declarations";
import { offeredText } from "../tools/explain";
import { offeredTools } from "../tools/offered";
import { connectSources } from "../tools/sources";
import type { ConversationView } from "../tools/step";
import { storedFront } from "./auto/front";
import { contradicts, findListed, missingDependencyNote, withNeeds } from "./load-checks";

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

/** Loads a skill with its dependencies first. Call it inside `exclusively`, in a turn. */
export async function loadSkill(seen: ConversationView, name: string, how: LoadHow): Promise<ToolResult> {
  const { context, session, view } = seen;
  const { state } = session;
  const { policy, turn } = state;
  if (policy === null) throw new Error("load_skill outside a turn");
  const active = activeSkills(state);
  const already = active.find((activation) => activation.skill.name === name);
  const found = await findListed(context, view, name, already !== undefined, policy.tool_style);
  if ("refusal" in found) return found.refusal;
  const { forClient } = how;
  const auto = policy.delivery === "auto";
  // Under `auto` a version stays until it is loaded anew, also where an older one is preloaded.
  const moves = auto && already?.skill.version_id !== found.entry.version_id;
  if (already !== undefined && !moves) return loadAgain(seen, policy, already.skill, how, found.entry.user_only);
  const whole = await withNeeds(context, view, found.entry, active);
  if ("refusal" in whole) return whole.refusal;

  const inAnswer = deliversInAnswer(policy);
  const skills = whole.entries.map(refOf);
  const contradicted = whole.unmet.find(({ needs }) => needs.some((need) => contradicts(need, active)));
  if (contradicted !== undefined)
    return failed(`Error: ${missingDependencyText(contradicted)} Another version of one of them is loaded.`);
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
      ? stands(session, skill) && !(how.again && skill.name === name)
      : active.some((a) => a.skill.name === skill.name);
  const fresh = skills.filter((skill) => !isHeld(skill));
  const answered = policy.tool_style === "skill" ? [name] : inAnswer ? fresh.map((skill) => skill.name) : [];
  const loaded: ConversationEvent = {
    ...{ type: "loaded", turn, name, skills, delivered: answered },
    ...(auto ? { call: how.call } : {}),
  };
  const before = auto ? readable(session, name, already) : null;
  // What does not fit is not read either.
  if (withRoom(session, loaded) === null) return overBudgetFailure(name);
  await storeInstructions(context, session, skills, factsOf);
  const made = recordLoad(seen, loaded);
  const told = forClient ? skills : fresh;
  const names = told.map((skill) => skill.name);
  const notes = made + missingDependencyNote(whole.unmet) + (await toolsText(seen, names));
  if (policy.tool_style === "skill" && !forClient) return text(`${bodyOf(session, found.entry.version_id)}${notes}`);
  const isShort = auto && !names.includes(name);
  const first = isShort ? TEXTS.present(name) : TEXTS.loaded(name, forClient ? "tool_result" : policy.delivery);
  const isOther = before !== null && before.version_id !== found.entry.version_id;
  const replaces = isOther && !isShort ? TEXTS.replaces(name, before.version, found.entry.version) : "";
  const answer = replaces + first + notes;
  if (!inAnswer && !forClient) return text(answer);
  return text(answer + blockOf(session, told));
}

type Loaded = Extract<ConversationEvent, { type: "loaded" }>;

/** The loading and the departures that make room for it; `null` where that is not enough. */
function withRoom({ state }: Session, loaded: Loaded): ConversationEvent[] | null {
  const { turn, name } = loaded;
  const { leaving, fits } = evictions(apply(state, loaded), name);
  const departures = leaving.map((other) => ({ type: "unloaded", turn, name: other, reason: "evicted" }) as const);
  return fits ? [loaded, ...departures] : null;
}

/** Records a loading with the departures that make room for it. Says whom it has sent away. */
function recordLoad({ context, session }: ConversationView, loaded: Loaded): string {
  const events = withRoom(session, loaded) ?? [loaded];
  record(session, context, events);
  context.count("skill_loads", []);
  const leaving = events.flatMap((event) => (event.type === "unloaded" ? event.name : []));
  return leaving.length === 0 ? "" : TEXTS.evicted(leaving);
}

function overBudgetFailure(name: string): ToolResult {
  return failed(`Error: Skill '${name}' does not fit into this conversation's budget for skills.`);
}

/** Whether the model can read of a skill, at this version: in its history, or in the front of its prompt. */
function stands(session: Session, skill: SkillRef): boolean {
  const present = presentVersion(session.state.carriers, skill.name);
  return present?.version_id === skill.version_id || isInFront(session, skill);
}

function isInFront(session: Session, { version_id }: SkillRef): boolean {
  return storedFront(session)?.preloaded.some((skill) => skill.version_id === version_id) ?? false;
}

/** The version of a skill that the model reads now, the newest; `null` where it reads none. */
function readable(session: Session, name: string, active: Activation | undefined): SkillRef | null {
  const inFront = active !== undefined && isInFront(session, active.skill) ? active.skill : null;
  return presentVersion(session.state.carriers, name) ?? inFront;
}

/** Loads a skill that is active: it stays longer, and its instructions are told again where they may be lost. */
async function loadAgain(
  seen: ConversationView,
  policy: Policy,
  skill: SkillRef,
  { forClient, again, call }: LoadHow,
  userOnly: boolean,
): Promise<ToolResult> {
  const { context, session } = seen;
  const { state } = session;
  const { name } = skill;
  const auto = policy.delivery === "auto";
  const tells = auto && (again || !stands(session, skill));
  const delivered = policy.tool_style === "skill" || tells ? [name] : [];
  const isInAnswer = delivered.length === 0 || (!auto && state.delivered.get(name) === skill.version_id);
  const loaded: Loaded = {
    ...{ type: "loaded", turn: state.turn, name, skills: [skill], delivered },
    // What only users choose stays as long as they say.
    ...(tells ? { call, ...(userOnly ? { retold: true } : {}) } : {}),
  };
  // A text that is told again stands there twice.
  if (tells && withRoom(session, loaded) === null) return overBudgetFailure(name);
  // A second load in a turn says no more than that the skill was used.
  const isUse = !tells && (userOnly || (state.roots.get(name) === state.turn && isInAnswer));
  if (isUse) recordUse(session, context, name);
  const made = isUse ? "" : recordLoad(seen, loaded);
  if (forClient || tells) {
    const told = forClient ? withNeeded(session.state, name) : [skill];
    const names = told.map((one) => one.name);
    return text(`${TEXTS.loaded(name, "tool_result")}${made}${await toolsText(seen, names)}${blockOf(session, told)}`);
  }
  // The one-tool style always answers with the body; load_skill does not repeat it.
  if (policy.tool_style === "skill") return text(bodyOf(session, skill.version_id));
  return text((auto ? TEXTS.present(name) : TEXTS.alreadyActive(name)) + (await toolsText(seen, [name])));
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
async function toolsText(seen: ConversationView, names: readonly string[]): Promise<string> {
  await connectSources(seen, names);
  return offeredText(await offeredTools(seen), names, seen.session.state.policy?.tool_mode ?? "dynamic");
}
