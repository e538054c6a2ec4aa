// The names that offered tools have in a conversation: given once, and kept until their skill's activation ends.

import type { ToolMemory } from "../../domain/conversation/offered";
import { BUILTIN } from "../../domain/tools/builtin";
import { type NamedTool, nameTools } from "../../domain/tools/names";

/** Tools that come and go together. */
export interface ToolGroup {
  /** A skill's name, or `/` and the name of a server that no skill offers. */
  key: string;
  /** The skill's name; empty where there is none. */
  skill: string;
  /** When they became active: a later activation gets its names anew. */
  order: number;
  /** What tells them apart there, and what they are called there. */
  tools: readonly (Omit<NamedTool, "skill"> & { id: string })[];
}

/** Names for all tools: those of groups that go on keep theirs, then the rest in order of the groups. */
export async function nameGroups(
  store: ToolMemory,
  groups: readonly ToolGroup[],
): Promise<Pick<ToolMemory, "names" | "known">> {
  const names: ToolMemory["names"] = {};
  const fresh: (NamedTool & { key: string; id: string })[] = [];
  for (const { key, skill, order, tools } of groups) {
    const before = store.names[key];
    // Of a skill that never had tools there is nothing to keep; a server that lists none just now keeps its names.
    if (tools.length === 0 && before?.order !== order) continue;
    const held = before?.order === order ? before.tools : {};
    names[key] = { order, tools: { ...held } };
    for (const tool of tools) if (!Object.hasOwn(held, tool.id)) fresh.push({ key, skill, ...tool });
  }
  const taken = Object.values(names).flatMap(({ tools }) => Object.values(tools));
  const given = await nameTools(fresh, new Set([...Object.keys(BUILTIN), ...taken]));
  const known: ToolMemory["known"] = {};
  for (const [index, { key, skill, id, own }] of fresh.entries()) {
    const name = given[index];
    const named = names[key];
    // What has no name today may have one when another has gone.
    if (name === undefined || name === null || named === undefined) continue;
    named.tools[id] = name;
    known[name] = { skill, tool: own };
  }
  return { names, known: { ...store.known, ...known } };
}

/** The name that a tool of a group was given; `null` where it has none. A tool may be called `constructor`. */
export function nameIn(names: ToolMemory["names"], key: string, id: string): string | null {
  const tools = names[key]?.tools;
  return tools !== undefined && Object.hasOwn(tools, id) ? (tools[id] ?? null) : null;
}
