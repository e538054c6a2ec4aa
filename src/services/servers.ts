// The MCP servers of a conversation: the gateway's, its ghost's and its active skills', the more specific in place of the others.

import type { SkillRef } from "../domain/event";
import type { JsonObject, JsonValue } from "../domain/skill";
import type { View } from "../domain/view";

/** A server that this conversation has, and who brought it. */
export interface ServerRef {
  name: string;
  source: "gateway" | "ghost" | "skill";
  /** The skill that brought it; `null` where none did. */
  skill: SkillRef | null;
  /** As it was written; what it means is read when it is used. */
  entry: JsonValue;
}

/** What an active skill says of servers. */
export interface SkillServers {
  skill: SkillRef;
  servers: JsonObject;
}

/**
 * The servers in effect: an entry takes the place of a less specific one of its name as a whole, a ghost's of the gateway's and
 * a skill's of both. Two skills may each bring one of the same name. The gateway's and the ghost's come first, by name.
 */
export function serversOf(view: View, skills: readonly SkillServers[]): ServerRef[] {
  const brought = skills.flatMap(({ skill, servers }) =>
    Object.entries(servers).map(([name, entry]): ServerRef => ({ name, source: "skill", skill, entry })),
  );
  const taken = new Set(brought.map(({ name }) => name));
  const shared = new Map<string, ServerRef>();
  for (const source of ["gateway", "ghost"] as const)
    for (const [name, entry] of Object.entries(view.servers[source]))
      shared.set(name, { name, source, skill: null, entry });
  const rest = [...shared.values()].filter(({ name }) => !taken.has(name));
  return [...rest.sort((a, b) => (a.name < b.name ? -1 : 1)), ...brought];
}
