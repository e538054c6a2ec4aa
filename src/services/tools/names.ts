// Assigns the names of offered tools: once, and stable until their skill's activation ends.

import type { ToolMemory } from "../../domain/conversation/offered";
import { BUILTIN } from "../../domain/tools/builtin";
import { type NamedTool, nameTools } from "../../domain/tools/names";

/** Tools that appear and disappear together. */
export interface ToolGroup {
  /** A skill's name, or `/` and the name of a server without a skill. */
  key: string;
  /** The skill's name, or empty. */
  skill: string;
  /** Activation order: a later activation gets new names. */
  order: number;
  /** The tools with their ids and names within the group. */
  tools: readonly (Omit<NamedTool, "skill"> & { id: string })[];
}

/** Assigns names to all tools: continuing groups keep theirs, then the others in order. */
export async function nameGroups(
  store: ToolMemory,
  groups: readonly ToolGroup[],
): Promise<Pick<ToolMemory, "names" | "known">> {
  const names: ToolMemory["names"] = {};
  const fresh: (NamedTool & { key: string; id: string })[] = [];
  for (const { key, skill, order, tools } of groups) {
    const before = store.names[key];
    // A skill that never had tools stores nothing; a server that lists none now keeps its names.
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
    // A tool without a name can get one when another tool is gone.
    if (name === undefined || name === null || named === undefined) continue;
    named.tools[id] = name;
    known[name] = { skill, tool: own };
  }
  return { names, known: { ...store.known, ...known } };
}

/** Returns the assigned name of a tool, or `null`. A tool can be called `constructor`. */
export function nameIn(names: ToolMemory["names"], key: string, id: string): string | null {
  const tools = names[key]?.tools;
  return tools !== undefined && Object.hasOwn(tools, id) ? (tools[id] ?? null) : null;
}
