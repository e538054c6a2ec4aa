// The list of skills as a model sees it. Its text is pinned by golden files.

import { catalogLine } from "../tokens";

/** A conversation shows the same entries in every turn, and cutting a description to its tokens is most of what its list costs. */
const known = new WeakMap<object, string>();

function lineOf(entry: { name: string; description: string }): string {
  const line = known.get(entry) ?? catalogLine(entry.name, entry.description);
  known.set(entry, line);
  return line;
}

/** `## Available Skills`, a line each, and a closing line that names the tool. */
export function renderList(shown: readonly { name: string; description: string }[], more: number): string {
  const lines = shown.map(lineOf);
  if (more > 0) lines.push(`… and ${more} more: call find_skill(query)`);
  return `## Available Skills\n\n${lines.join("\n")}\n\nWhen a task matches a skill, call load_skill with its name before you start: it adds the skill's full instructions.`;
}

/** Tokens of what `renderList` puts around the lines, and of its closing line at most, by the tokenizer; a test holds them. */
export const LIST_FRAME_TOKENS = 29;
export const LIST_MORE_TOKENS = 16;
