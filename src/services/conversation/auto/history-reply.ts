// Builds the history instructions for the caller of a turn under `auto`.

import type { ConversationState } from "../../../domain/conversation/activation";
import { replacementOf } from "../../../domain/conversation/history-plan";
import { applicationMessage, renderLoaded } from "../../../domain/conversation/prompt";
import type { Issue } from "../../../domain/errors";
import type { Format } from "../../../domain/tools/formats";
import { offeredText } from "../../tools/explain";
import type { Step } from "../../tools/step";
import type { AutoReply } from "../replies";
import { storedFront } from "./front";

const EPHEMERAL = { type: "ephemeral" } as const;

/** Returns what this turn requests; nothing with another delivery. Repeating the turn returns the same. */
export async function historyRequestOf(step: Step, format: Format): Promise<AutoReply> {
  const { state } = step.session;
  const front = storedFront(step.session);
  if (state.policy?.delivery !== "auto" || front === null) return {};
  const edits = editsOf(state);
  const isChanged = edits.length > 0 || (front.since === state.turn && state.turn > 1);
  return {
    ...(await appendOf(step, format)),
    ...(edits.length === 0 ? {} : { context_edits: edits }),
    ...(format === "anthropic" && isChanged ? { drop_thinking_before: "new_user_message" } : {}),
    ...(format === "anthropic"
      ? { cache_control: { tools: EPHEMERAL, system: EPHEMERAL, conversation: EPHEMERAL } }
      : {}),
    ...(format === "openai" || format === "openai-responses"
      ? { prompt_cache_key: `skills-${front.basis.slice(0, 32)}` }
      : {}),
  };
}

function editsOf({ asked, carriers }: ConversationState): NonNullable<AutoReply["context_edits"]> {
  return asked.edits.flatMap(({ id, required }) => {
    const carrier = carriers.find((candidate) => candidate.id === id);
    if (carrier === undefined) return [];
    const which = carrier.kind === "call" ? { call_id: id } : { append_id: id };
    return [{ ...which, content: replacementOf(carrier), ...(required ? { required } : {}) }];
  });
}

/**
 * Returns the message to append. It describes the tools of its skills, as the result of load_skill does, because no tool list contains
 * them.
 */
async function appendOf({ session, offered }: Step, format: Format): Promise<Pick<AutoReply, "append" | "append_id">> {
  const { state, store } = session;
  const { append } = state.asked;
  if (append === null) return {};
  const offer = await offered();
  const bodies = append.names.flatMap((name) => {
    const skill = state.refs.get(name);
    if (skill === undefined) return [];
    const tools = offeredText(offer, [name], "fixed").trimStart();
    const parts = [store.instructions(skill.version_id) ?? "", tools].filter((part) => part.trim() !== "");
    return parts.length === 0 ? [] : [{ name, instructions: parts.join("\n\n") }];
  });
  if (bodies.length === 0 && state.selected.length === 0) return {};
  const skill = state.prediction?.skill;
  const predicted = skill?.appended === true && append.names.includes(skill.name) ? skill.name : null;
  const loaded = renderLoaded(bodies, state.selected, predicted);
  return { append: [applicationMessage(loaded, format)], append_id: append.id };
}

/**
 * Returns a warning for Claude models, which reject thinking blocks if anything before them changed. With every other delivery the prompt
 * changes: within a turn, or between turns when the skill list or a version changes.
 */
export function thinkingWarnings({ policy }: ConversationState, format: Format): Issue[] {
  if (format !== "anthropic" || policy === null || policy.delivery === "auto") return [];
  const message =
    "This delivery changes earlier messages, which models that verify thinking blocks reject. Use delivery `auto`.";
  return [{ code: "BREAKS_THINKING", message }];
}
