// Predicts the skill of a user's message when a turn begins, and decides whether to append its instructions.

import type { SkillRef } from "../../domain/catalog/skill-ref";
import { fold, withNeeded } from "../../domain/conversation/activation";
import { overBudget } from "../../domain/conversation/budget";
import { presentVersion } from "../../domain/conversation/carriers";
import type { ConversationEvent, Policy, Prediction, TurnLedger } from "../../domain/conversation/event";
import { isSure, pays, probabilityOf, stakeOf } from "../../domain/conversation/prediction/gate";
import { firstSkill } from "../../domain/conversation/prediction/rank";
import { predictOf } from "../../domain/conversation/settings";
import { refusalIn } from "../../domain/errors";
import { collisionsOf } from "../../domain/tools/collisions";
import { contentsOf } from "../catalog/contents";
import type { Session } from "../session";
import { factsOf } from "../tools/declarations";
import type { ConversationView } from "../tools/step";
import { type ResolvedSet, resolveSet, type WantedInTurn } from "./resolve-set";

type TurnEvent = Extract<ConversationEvent, { type: "turn" }>;

/** What the prediction depends on besides the message. */
interface PredictionBasis {
  /** The skills of the turn. */
  skills: readonly SkillRef[];
  policy: Policy;
  ledger: TurnLedger;
}

/**
 * Returns the prediction for a message: the skill of the conversation that ranks first, if it is likely enough and the model cannot read it
 * yet. Reads memory only. `null`: there is no message, or the settings turn predictions off.
 */
export function predictionFor(
  { session, view }: ConversationView,
  message: string | null,
  { skills, policy, ledger }: PredictionBasis,
): Prediction | null {
  if (message === null || predictOf(session.settings, view.predict) === "off") return null;
  const agent = view.ghost_id;
  const nothing = { agent, skill: null };
  const open = view.catalog.entries.filter(({ user_only }) => !user_only);
  const first = firstSkill(open, message);
  if (first === null) return nothing;
  const { name, skill_id, version_id, tokens, has_capabilities } = first.skill;
  const probability = probabilityOf(first);
  const isReadable =
    skills.some((skill) => skill.name === name) || presentVersion(session.state.carriers, name) !== null;
  if (!isSure(probability) || isReadable || (tokens === 0 && !has_capabilities)) return nothing;
  const stake = stakeOf(tokens, promptTokensOf(session, ledger), policy.retention, ledger.price);
  return {
    agent,
    skill: { name, skill_id, version_id, probability: rounded(probability), ...inTokens(stake), appended: false },
  };
}

/**
 * Returns the turn's event with the predicted skill appended; `null` if that is not possible or does not pay. Nothing else in the turn
 * changes: the skill is left out if it needs another version of an active skill, has a tool or server of the same name, evicts another skill,
 * or cannot be read.
 */
export async function appendable(
  { context, session, view }: ConversationView,
  event: TurnEvent,
  {
    wanted,
    set,
    pin,
  }: {
    wanted: readonly WantedInTurn[];
    /** `wanted`, resolved. */
    set: ResolvedSet;
    /** Replaces versions by those in the history. */
    pin: (skills: readonly SkillRef[]) => SkillRef[];
  },
): Promise<TurnEvent | null> {
  const { prediction, ledger, policy } = event;
  if (prediction?.skill == null || ledger === undefined || context.caller.stale) return null;
  const { name, version_id, probability } = prediction.skill;
  try {
    const whole = await resolveSet(context, view, [...wanted, { name, code: "PREDICTED" }]);
    const skills = pin(whole.skills);
    const before = new Set(event.skills.map((one) => one.name));
    const added = skills.filter((one) => !before.has(one.name));
    const tokens = added.reduce((sum, one) => sum + one.tokens, 0);
    const stake = stakeOf(tokens, promptTokensOf(session, ledger), policy.retention, ledger.price);
    if (whole.warnings.length > set.warnings.length || !pays(probability, stake)) return null;
    const skill = { ...prediction.skill, ...inTokens(stake), appended: true };
    const next = { ...event, skills, prediction: { ...prediction, skill } };
    const state = fold([next], session.state);
    const needed = withNeeded(state, name);
    const now = new Map(skills.map((one) => [one.name, one.version_id]));
    const isMoved =
      now.get(name) !== version_id ||
      event.skills.some((one) => now.get(one.name) !== one.version_id) ||
      whole.skills.some((one) =>
        needed.some((other) => other.name === one.name && other.version_id !== one.version_id),
      );
    if (isMoved || overBudget(state)) return null;
    const ids = needed.map((one) => one.version_id);
    const contents = await contentsOf(context, ids);
    if (ids.some((id) => !contents.has(id)) || (await doCollide({ context, session, view }, skills, added)))
      return null;
    return next;
  } catch (error) {
    // The turn does not depend on it. Storage errors are logged where they occur.
    if (refusalIn(error) === null) throw error;
    return null;
  }
}

/** Whether a tool or server of an added skill has the name of another one. */
async function doCollide(
  { context, view }: ConversationView,
  skills: readonly SkillRef[],
  added: readonly SkillRef[],
): Promise<boolean> {
  const facts = await factsOf(
    context,
    skills.map(({ version_id }) => version_id),
  );
  const declared = skills.map(({ name, version_id }) => ({
    name,
    tools: facts.get(version_id)?.tools.map((tool) => tool.name) ?? [],
    servers: Object.keys(facts.get(version_id)?.servers ?? {}),
  }));
  const own = [...view.servers.own.map(({ name }) => name), ...Object.keys(view.servers.gateway)];
  const found = collisionsOf({ gateway: own, ghost: Object.keys(view.servers.ghost), skills: declared });
  return found.some(({ of }) => added.some(({ name }) => of.includes(`skill:${name}`)));
}

/** Returns the tokens of the prompt before the skill: those of the last request, or of the first one without it. */
function promptTokensOf({ state }: Session, { shared, own, history_tokens }: TurnLedger): number {
  return state.ledger.before?.sent.actual ?? shared + own + (history_tokens ?? 0);
}

function inTokens({ cost, saved }: { cost: number; saved: number }): { cost: number; saved: number } {
  return { cost: Math.round(cost), saved: Math.round(saved) };
}

function rounded(probability: number): number {
  return Math.round(probability * 1_000) / 1_000;
}
