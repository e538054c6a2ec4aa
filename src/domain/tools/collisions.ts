// Finds names used twice in a conversation, from declarations. Names of servers' tools are unknown here.

import { isBuiltin } from "./builtin";

/** The declared names by source. */
export interface Named {
  gateway: readonly string[];
  ghost: readonly string[];
  skills: readonly { name: string; tools: readonly string[]; servers: readonly string[] }[];
}

/** A name and its sources: `gateway`, `ghost`, `builtin`, or `skill:<name>`. */
export interface Collision {
  kind: "tool" | "server";
  name: string;
  of: string[];
}

/** Returns collisions. Colliding tools are renamed while both are active; a skill's server replaces a ghost's, and that the gateway's. */
export function collisionsOf({ gateway, ghost, skills }: Named): Collision[] {
  const tools = new Map<string, string[]>();
  const servers = new Map<string, string[]>();
  const note = (into: Map<string, string[]>, who: string, names: readonly string[]) => {
    for (const name of new Set(names)) into.set(name, [...(into.get(name) ?? []), who]);
  };
  note(servers, "gateway", gateway);
  note(servers, "ghost", ghost);
  for (const skill of skills) {
    note(servers, `skill:${skill.name}`, skill.servers);
    note(tools, `skill:${skill.name}`, skill.tools);
  }
  const found = (kind: Collision["kind"], all: ReadonlyMap<string, string[]>) =>
    [...all].flatMap(([name, who]): Collision[] => {
      const of = kind === "tool" && isBuiltin(name) ? ["builtin", ...who] : who;
      return of.length < 2 ? [] : [{ kind, name, of }];
    });
  return [...found("tool", tools), ...found("server", servers)];
}
