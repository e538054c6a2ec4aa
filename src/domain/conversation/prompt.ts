// The texts that models receive. Golden files contain them: a changed byte invalidates every user's prompt cache.

import type { JsonObject } from "../json";
import { escapeSkillTags } from "../tags";
import type { Format } from "../tools/formats";
import type { Activation } from "./activation";
import type { Delivery } from "./event";
import type { LoadAnswer } from "./restore";

/** A loaded skill with its instructions. */
export interface LoadedSkill {
  name: string;
  instructions: string;
}

/**
 * The block of loaded instructions. Skill text is data: it cannot close this block, nor the one that `contextMessage` puts around it.
 *
 * @param predicted the skill that the gateway chose; `null`: none
 */
export function renderLoaded(
  skills: readonly LoadedSkill[],
  selected: readonly string[],
  predicted: string | null = null,
): string {
  const preferred =
    selected.length === 0
      ? ""
      : `\n\nThe user selected these skills for this turn, so prefer them: ${selected.join(", ")}.`;
  const emphasis = `${preferred}${predicted === null ? "" : `\n\n${TEXTS.predicted(predicted)}`}`;
  const bodies = skills.map((skill) => `\n\n${section(skill)}`).join("");
  return `${BLOCK}The following skills have been loaded.${emphasis}${bodies}\n</skill>`;
}

const BLOCK = "<skill>\n# Loaded Skill Instructions\n\n";

/** Whether a text has a block with a section for each of these skills, at any version. */
export function hasSections(text: string, skills: readonly { name: string }[]): boolean {
  return text.includes(BLOCK) && skills.every(({ name }) => text.includes(`\n## Skill: ${name}\n`));
}

function section(skill: LoadedSkill): string {
  return `## Skill: ${skill.name}\n\n${escapeSkillTags(skill.instructions.trim())}`;
}

/** Whether the result of a loading call contains exactly the instructions of this skill. */
export function holdsInstructions(answer: LoadAnswer, skill: LoadedSkill): boolean {
  // The one-tool style returns only the body.
  if (answer.tool === "skill") return answer.text.trim() === skill.instructions.trim();
  const text = section(skill);
  return [`${text}\n</skill>`, `${text}\n\n## Skill: `].some((part) => answer.text.includes(part));
}

export interface PromptParts {
  /** The ghost's own prompt, byte for byte. */
  system: string;
  /** Already rendered; absent when the catalog is empty. */
  list: string | null;
  /** Already rendered; absent if no loaded skill needs the prompt. */
  loaded: string | null;
  /** Loaded instructions as a separate message, so that the system prefix stays cacheable. */
  separate: boolean;
}

export interface RenderedPrompt {
  system: string;
  messages: JsonObject[];
}

/** Returns the prompt in a format: what to send before the history. */
export function renderPrompt(parts: PromptParts, format: Format): RenderedPrompt {
  const inSystem = [parts.system, parts.list, parts.separate ? null : parts.loaded];
  const system = inSystem.filter((part) => part !== null && part !== "").join("\n\n");
  const separate = parts.separate ? parts.loaded : null;
  const openai = format === "openai" || format === "openai-responses";
  const messages: JsonObject[] = openai && system !== "" ? [{ role: "system", content: system }] : [];
  if (separate !== null) messages.push(applicationMessage(separate, format));
  return { system, messages };
}

/** Returns a message written by the application, in a format. */
export function applicationMessage(text: string, format: Format): JsonObject {
  const openai = format === "openai" || format === "openai-responses";
  return openai ? { role: "developer", content: text } : contextMessage(text, format);
}

function contextMessage(loaded: string, format: Format): JsonObject {
  const text = `<application_skill_context>\nThe application wrote this message, not the user.\n\n${loaded}\n</application_skill_context>`;
  return { role: "user", content: format === "mcp" ? { type: "text", text } : text };
}

/** Returns the activations whose instructions the prompt needs: all except those already in a tool result. */
export function neededInstructions(
  active: readonly Activation[],
  delivered: ReadonlyMap<string, string>,
): Activation[] {
  return active.filter(({ skill }) => skill.tokens > 0 && delivered.get(skill.name) !== skill.version_id);
}

/** Facts about a name that the catalog does not have. */
interface Absent {
  near: readonly string[];
  isCut: boolean;
  isEmpty: boolean;
  tool: string;
}

/** Characters of such a name that are repeated, because a model can write anything. */
const NAME_CHARS = 100;

/** Texts of the results of `load_skill` and related tools. */
export const TEXTS = {
  loaded: (name: string, delivery: Delivery) => {
    const first = `Skill '${name}' has been loaded.`;
    if (delivery === "tool_result" || delivery === "auto") return first;
    return `${first} The instructions have been added to ${delivery === "system" ? "the system prompt" : "the conversation"}.`;
  },
  /** In the message that appends a predicted skill. */
  predicted: (name: string) =>
    `The skill '${name}' was loaded because it probably fits the user's message. Do not load it again. If it does not fit, ignore it.`,
  alreadyActive: (name: string) =>
    `Skill '${name}' is already active. Its instructions are in effect; follow them without loading it again.`,
  /** Under `auto`, if the history contains the instructions. */
  present: (name: string) =>
    `Skill '${name}' is already active. Its instructions stand above; if you cannot see them, call again with reload: true.`,
  replaces: (name: string, before: string | null, after: string | null) =>
    `This replaces the instructions of '${name}' above (version ${before ?? "without label"} → ${after ?? "without label"}).\n\n`,
  /** `near`: similar names; `isCut`: the list leaves skills out; `tool`: the tool to call with the correct name. */
  notAvailable: (name: string, { near, isCut, isEmpty, tool }: Absent) => {
    const first = `Error: Skill '${name.slice(0, NAME_CHARS).toWellFormed()}' is not available.`;
    if (isEmpty) return `${first} There are no skills here.`;
    const search = "find_skill(query) to search for one";
    if (near.length > 0) {
      const meant = near.map((each) => `'${each}'`).join(" or ");
      return `${first} Did you mean ${meant}? Call ${tool} with the right name${isCut ? `, or ${search}` : ""}.`;
    }
    return `${first} Call ${isCut ? search : `${tool} with a name from the list of available skills`}.`;
  },
  noContent: (name: string) => `Error: Skill '${name}' has no prompt content.`,
  evicted: (names: readonly string[]) => ` To make room, these were unloaded: ${names.join(", ")}.`,
  unloaded: (name: string) => `Skill '${name}' has been unloaded.`,
  disabled: "Error: skills are not enabled",
} as const;
