// Under `auto` the model sees instructions of skills that are not active any more. It may call what they describe: that makes the
// skill active again, since a refusal would cost more than the retention saved.

import { activeSkills } from "../../../domain/conversation/activation";
import type { ConversationEvent } from "../../../domain/conversation/event";
import { standingCarriers } from "../../../domain/conversation/present";
import type { ToolCall } from "../../../domain/tool";
import { findInView } from "../../catalog/catalog";
import { keepInstructions } from "../../catalog/instructions";
import { exclusively, record } from "../../session";
import { knownTool } from "../../tools/memory";
import { connectSources } from "../../tools/sources";
import type { Seen } from "../../tools/step";
import { pinned } from "./history-plan";

/** Makes the skills of these calls active again whose instructions stand in the history and that may still be used. */
export async function bringBack(seen: Seen, calls: readonly ToolCall[]): Promise<void> {
  const { context, session, view } = seen;
  if (session.state.policy?.delivery !== "auto") return;
  const wanted = new Set(calls.flatMap((call) => skillOf(seen, call) ?? []));
  if (wanted.size === 0) return;
  const back = await exclusively(session, async () => {
    const { state } = session;
    const active = new Set(activeSkills(state).map(({ skill }) => skill.name));
    const present = new Map(
      standingCarriers(state.carriers).flatMap(({ skills }) => skills.map((skill) => [skill.name, skill])),
    );
    const events: ConversationEvent[] = [];
    for (const skill of present.values()) {
      if (!wanted.has(skill.name) || active.has(skill.name)) continue;
      if ((await findInView(context, view, skill.name))?.skill_id !== skill.skill_id) continue;
      const skills = pinned([skill], present, state.refs).reverse();
      await keepInstructions(context, session, skills);
      events.push({ type: "loaded", turn: state.turn, name: skill.name, skills, delivered: [], used: true });
    }
    if (events.length > 0) record(session, context, events);
    return events.map((event) => ("name" in event ? event.name : ""));
  });
  if (back.length > 0) await connectSources(seen, back);
}

/** The skill whose tool a call names; `null` for any other call. */
function skillOf({ session }: Seen, { name, arguments: args }: ToolCall): string | null {
  const tool = name === "call_skill_tool" && typeof args.name === "string" ? args.name : name;
  return knownTool(session, tool)?.skill ?? null;
}
