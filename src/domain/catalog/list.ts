// The list of skills as a model sees it. Golden files fix its text.

import { catalogLine } from "../tokens";

/** A conversation shows the same entries in every turn, and cutting descriptions to their tokens is most of the cost. */
const known = new WeakMap<object, string>();

function lineOf(entry: { name: string; description: string }): string {
  const line = known.get(entry) ?? catalogLine(entry.name, entry.description);
  known.set(entry, line);
  return line;
}

/** Renders `## Available Skills`, one line per skill, and a closing line that names the tool. */
export function renderList(shown: readonly { name: string; description: string }[], more: number): string {
  const lines = shown.map(lineOf);
  if (more > 0) lines.push(`… and ${more} more: call find_skill(query)`);
  return `## Available Skills\n\n${lines.join("\n")}\n\nWhen a task matches a skill, call load_skill with its name before you start: it adds the skill's full instructions.`;
}

/** Tokens that `renderList` adds to the lines, and the maximum of its closing line. A test checks them with the tokenizer. */
export const LIST_FRAME_TOKENS = 29;
export const LIST_MORE_TOKENS = 16;
