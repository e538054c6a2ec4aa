// Implements the `unload_skill` tool.

import { activeSkills } from "../../domain/conversation/activation";
import { TEXTS } from "../../domain/conversation/prompt";
import { failed, type ToolResult, text } from "../../domain/tool";
import type { Context } from "../context";
import { record, type Session } from "../session";

/** Unloads a skill that the model no longer needs. Preloaded and selected skills stay, and so do dependencies of other skills. */
export function unloadSkill(context: Context, session: Session, name: string): ToolResult {
  const { state } = session;
  const activation = activeSkills(state).find((candidate) => candidate.skill.name === name);
  if (activation === undefined) return failed(`Error: Skill '${name}' is not loaded. Nothing was unloaded.`);
  if (state.preloaded.includes(name))
    return failed(`Error: Skill '${name}' is preloaded and cannot be unloaded. It stays active.`);
  if (state.selected.includes(name))
    return failed(`Error: Skill '${name}' was selected by the user and cannot be unloaded. It stays active.`);
  const dependants = () =>
    activeSkills(session.state)
      .filter((candidate) => candidate.skill.dependencies.includes(name))
      .map((candidate) => `'${candidate.skill.name}'`);
  if (!state.roots.has(name))
    return failed(
      `Error: Skill '${name}' is needed by ${dependants().join(", ")}. Call unload_skill for that instead.`,
    );
  record(session, context, [{ type: "unloaded", turn: state.turn, name, reason: "requested" }]);
  const still = activeSkills(session.state).some((candidate) => candidate.skill.name === name);
  return text(
    still ? `${TEXTS.unloaded(name)} It stays while ${dependants().join(", ")} needs it.` : TEXTS.unloaded(name),
  );
}
