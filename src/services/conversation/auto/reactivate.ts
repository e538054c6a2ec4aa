// Reactivates skills whose instructions the model still sees under `auto`. A call of such a skill makes it active again, because refusing
// it would cost more than the retention saved.

import type { SkillRef } from "../../../domain/catalog/skill-ref";
import { activeSkills, fold } from "../../../domain/conversation/activation";
import { overBudget } from "../../../domain/conversation/budget";
import { carriersInEffect } from "../../../domain/conversation/carriers";
import type { ConversationEvent } from "../../../domain/conversation/event";
import type { ToolCall } from "../../../domain/tool";
import { findForModel } from "../../catalog/catalog";
import { fetchInstructions, storeInstructions } from "../../catalog/instructions";
import { usableAmong } from "../../catalog/view";
import { exclusively, record } from "../../session";
import { factsOf } from "../../tools/declarations";
import { storedTool } from "../../tools/memory";
import { connectSources } from "../../tools/sources";
import type { ConversationView } from "../../tools/step";
import { lastOfEach, pinned } from "./history-plan";

/**
 * Reactivates the skills of these calls if their instructions are in the history and loading them would have the same result. Skills that
 * can no longer be used, that only users can select, or that exceed the budget are left out.
 */
export async function reactivate(seen: ConversationView, calls: readonly ToolCall[]): Promise<void> {
  const { context, session, view } = seen;
  if (session.state.policy?.delivery !== "auto") return;
  const wanted = new Set(calls.flatMap((call) => skillOf(seen, call) ?? []));
  if (wanted.size === 0) return;
  const back = await exclusively(session, async () => {
    const { state } = session;
    const { turn } = state;
    const active = new Set(activeSkills(state).map(({ skill }) => skill.name));
    const texts = carriersInEffect(state.carriers).flatMap(({ skills }) => skills);
    const asked = [...lastOfEach(texts).values()].filter(({ name }) => wanted.has(name) && !active.has(name));
    if (asked.length === 0) return [];
    const every = [...texts, ...state.refs.values()];
    const needed = new Set(asked.flatMap(({ name, dependencies }) => [name, ...dependencies]));
    const [usable] = await Promise.all([
      usableAmong(context, view, every),
      fetchInstructions(
        context,
        session,
        every.filter(({ name }) => needed.has(name)),
      ),
    ]);
    const isUsable = ({ version_id }: SkillRef) => usable.has(version_id);
    const present = lastOfEach([...lastOfEach(texts).values()].filter(isUsable));
    const known = lastOfEach([...state.refs.values()].filter(isUsable));
    const events: ConversationEvent[] = [];
    for (const skill of present.values()) {
      if (!wanted.has(skill.name) || active.has(skill.name)) continue;
      if ((await findForModel(context, view, skill.name, false))?.skill_id !== skill.skill_id) continue;
      const skills = pinned([skill], present, known).reverse();
      const loaded: ConversationEvent = { type: "loaded", turn, name: skill.name, skills, delivered: [], used: true };
      if (overBudget(fold([...events, loaded], state))) continue;
      await storeInstructions(context, session, skills, factsOf);
      events.push(loaded);
    }
    if (events.length > 0) record(session, context, events);
    return events.map((event) => ("name" in event ? event.name : ""));
  });
  if (back.length > 0) await connectSources(seen, back);
}

/** Returns the skill whose tool is called; `null` for other calls. */
function skillOf({ session }: ConversationView, { name, arguments: args }: ToolCall): string | null {
  const tool = name === "call_skill_tool" && typeof args.name === "string" ? args.name : name;
  return storedTool(session, tool)?.skill ?? null;
}
