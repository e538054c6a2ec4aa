// Assigns the names that prompts of servers have in a conversation, by the same rule as tool names.

import type { Library } from "../../../domain/servers/library/library";
import { type NamedTool, nameTools } from "../../../domain/tools/names";
import type { ServerLibrary } from "../../servers/libraries";

/** A prompt and its server. */
export interface ServerPrompt {
  shelf: ServerLibrary;
  prompt: Library["prompts"][number];
}

/**
 * Returns prompts by their names in the conversation. If two servers use the same bare name and both can have another one, neither gets it,
 * so that a name never refers to a different server between list and call.
 */
export async function namePrompts(shelves: readonly ServerLibrary[]): Promise<Map<string, ServerPrompt>> {
  const all = shelves.flatMap((shelf) => shelf.library.prompts.map((prompt) => ({ shelf, prompt })));
  const uses = new Map<string, number>();
  for (const { prompt } of all) uses.set(prompt.name, (uses.get(prompt.name) ?? 0) + 1);
  const named = all.map(({ shelf: { ref }, prompt: { name } }): NamedTool => {
    const prefix = ref.entry?.prefix ?? "always";
    const own = { skill: ref.skill?.name ?? "", own: `${ref.name}__${name}` };
    if (prefix === "never") return { ...own, bare: name, bareOnly: true };
    return prefix === "on-conflict" && uses.get(name) === 1 ? { ...own, bare: name } : own;
  });
  const names = await nameTools(named, new Set());
  return new Map(
    all.flatMap((one, index): [string, ServerPrompt][] => {
      const name = names[index];
      return name === undefined || name === null ? [] : [[name, one]];
    }),
  );
}
