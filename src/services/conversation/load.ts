// Implements the `load_skill` tool.

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
   * True for MCP clients. They receive all instructions in every result, because they have no prompt of the gateway and another chat of the
   * user may have loaded the skill.
   */
  forClient: boolean;
  /** With delivery `auto`: send the instructions again. */
  again: boolean;
  /** Id of the tool call. With delivery `auto`, its result contains the instructions. */
  call: string;
}

/** Loads a skill, dependencies first. Must run inside `exclusively`, in a turn. */
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
  // With `auto`, a version stays until the skill is loaded again, even if an older one is preloaded.
  const moves = auto && already?.skill.version_id !== found.entry.version_id;
  if (already !== undefined && !moves) return loadAgain(seen, policy, already.skill, how, found.entry.user_only);
  const whole = await withNeeds(context, view, found.entry, active);
  if ("refusal" in whole) return whole.refusal;

  const inAnswer = deliversInAnswer(policy);
  const skills = whole.entries.map(refOf);
  const contradicted = whole.unmet.find(({ needs }) => needs.some((need) => contradicts(need, active)));
  if (contradicted !== undefined)
    return failed(
      `Error: ${missingDependencyText(contradicted)} Another version of one of these dependencies is loaded. Unload it first.`,
    );
  const clash = skills.find(
    (skill) =>
      !(moves && skill.name === name) &&
      active.some((a) => a.skill.name === skill.name && a.skill.version_id !== skill.version_id),
  );
  if (clash !== undefined) {
    return failed(
      `Error: Skill '${name}' needs version ${clash.version ?? "without label"} of '${clash.name}', but another version is loaded. Unload it first.`,
    );
  }
  // An active skill already has its instructions in the prompt or in an earlier result.
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
  // Skills that do not fit into the budget are not read.
  if (withRoom(session, loaded) === null) return overBudgetFailure(name);
  await storeInstructions(context, session, skills, factsOf);
  const made = recordLoad(seen, loaded);
  const shownSkills = forClient ? skills : fresh;
  const names = shownSkills.map((skill) => skill.name);
  const notes = made + missingDependencyNote(whole.unmet) + (await toolsText(seen, names));
  if (policy.tool_style === "skill" && !forClient) return text(`${bodyOf(session, found.entry.version_id)}${notes}`);
  const isShort = auto && !names.includes(name);
  const first = isShort ? TEXTS.present(name) : TEXTS.loaded(name, forClient ? "tool_result" : policy.delivery);
  const isOther = before !== null && before.version_id !== found.entry.version_id;
  const replaces = isOther && !isShort ? TEXTS.replaces(name, before.version, found.entry.version) : "";
  const answer = replaces + first + notes;
  if (!inAnswer && !forClient) return text(answer);
  return text(answer + blockOf(session, shownSkills));
}

type Loaded = Extract<ConversationEvent, { type: "loaded" }>;

/** Returns the load event and the evictions that make room for it; `null` if that is not enough. */
function withRoom({ state }: Session, loaded: Loaded): ConversationEvent[] | null {
  const { turn, name } = loaded;
  const { leaving, fits } = evictions(apply(state, loaded), name);
  const departures = leaving.map((other) => ({ type: "unloaded", turn, name: other, reason: "evicted" }) as const);
  return fits ? [loaded, ...departures] : null;
}

/** Records a load with its evictions. Returns a text that names the evicted skills. */
function recordLoad({ context, session }: ConversationView, loaded: Loaded): string {
  const events = withRoom(session, loaded) ?? [loaded];
  record(session, context, events);
  context.count("skill_loads", []);
  const leaving = events.flatMap((event) => (event.type === "unloaded" ? event.name : []));
  return leaving.length === 0 ? "" : TEXTS.evicted(leaving);
}

function overBudgetFailure(name: string): ToolResult {
  return failed(`Error: Skill '${name}' does not fit into this conversation's budget for skills. Continue without it.`);
}

/** Whether the model can read this version of a skill, in its history or in the front. */
function stands(session: Session, skill: SkillRef): boolean {
  const present = presentVersion(session.state.carriers, skill.name);
  return present?.version_id === skill.version_id || isInFront(session, skill);
}

function isInFront(session: Session, { version_id }: SkillRef): boolean {
  return storedFront(session)?.preloaded.some((skill) => skill.version_id === version_id) ?? false;
}

/** Returns the newest version of a skill that the model can read now, or `null`. */
function readable(session: Session, name: string, active: Activation | undefined): SkillRef | null {
  const inFront = active !== undefined && isInFront(session, active.skill) ? active.skill : null;
  return presentVersion(session.state.carriers, name) ?? inFront;
}

/** Loads an active skill: extends its retention, and sends its instructions again if they may be lost. */
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
  const shows = auto && (again || !stands(session, skill));
  const delivered = policy.tool_style === "skill" || shows ? [name] : [];
  const isInAnswer = delivered.length === 0 || (!auto && state.delivered.get(name) === skill.version_id);
  const loaded: Loaded = {
    ...{ type: "loaded", turn: state.turn, name, skills: [skill], delivered },
    // Skills that only users can select stay as long as the user says.
    ...(shows ? { call, ...(userOnly ? { retold: true } : {}) } : {}),
  };
  // Instructions that are sent again take their space twice.
  if (shows && withRoom(session, loaded) === null) return overBudgetFailure(name);
  // A second load in the same turn only counts as a use.
  const isUse = !shows && (userOnly || (state.roots.get(name) === state.turn && isInAnswer));
  if (isUse) recordUse(session, context, name);
  const made = isUse ? "" : recordLoad(seen, loaded);
  if (forClient || shows) {
    const shownSkills = forClient ? withNeeded(session.state, name) : [skill];
    const names = shownSkills.map((one) => one.name);
    return text(
      `${TEXTS.loaded(name, "tool_result")}${made}${await toolsText(seen, names)}${blockOf(session, shownSkills)}`,
    );
  }
  // The one-tool style always returns the instructions; load_skill does not repeat them.
  if (policy.tool_style === "skill") return text(bodyOf(session, skill.version_id));
  return text((auto ? TEXTS.present(name) : TEXTS.alreadyActive(name)) + (await toolsText(seen, [name])));
}

/** Returns the instructions for the one-tool style: without the surrounding block, and unable to open one. */
function bodyOf(session: Session, versionId: string): string {
  return escapeSkillTags(session.store.instructions(versionId)?.trim() ?? "");
}

/** Returns the instructions of skills in the form of a tool result. */
function blockOf(session: Session, skills: readonly SkillRef[]): string {
  const bodies = skills
    .filter((skill) => skill.tokens > 0)
    .map((skill) => ({ name: skill.name, instructions: session.store.instructions(skill.version_id) ?? "" }));
  return bodies.length === 0 ? "" : `\n\n${renderLoaded(bodies, [])}`;
}

/** Describes the tools that the skills offer, after their servers had a moment to connect. */
async function toolsText(seen: ConversationView, names: readonly string[]): Promise<string> {
  await connectSources(seen, names);
  return offeredText(await offeredTools(seen), names, seen.session.state.policy?.tool_mode ?? "dynamic");
}
