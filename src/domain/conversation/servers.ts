// The MCP servers of a conversation: the gateway's, its ghost's and its active skills', the more specific in place of the others.

import type { SkillRef } from "../catalog/skill-ref";
import type { View } from "../catalog/view";
import type { JsonObject } from "../json";
import { type ConfiguredServer, mergeServers, readServers, type ServerSource } from "../servers/entry";

/** A server that this conversation has. `skill` is the skill that offers it; `null` where none does. */
export type ServerRef = ConfiguredServer & { skill: SkillRef | null };

/** What an active skill says of servers. */
export interface SkillServers {
  skill: SkillRef;
  servers: JsonObject;
}

/** The servers in effect: the gateway's and the ghost's first, then the skills' in order of their activation. */
export function serversOf({ servers, selection }: View, skills: readonly SkillServers[]): ServerRef[] {
  const general = (entries: JsonObject, source: ServerSource) =>
    readServers(entries, source).map((server): ServerRef => ({ ...server, skill: null }));
  const skillsOwn = skills.flatMap(({ skill, servers: own }) =>
    readServers(own, { kind: "skill", skill: skill.name }).map((server): ServerRef => ({ ...server, skill })),
  );
  const ghosts = general(servers.ghost, { kind: "ghost", shared: selection.shared });
  return mergeServers(general(servers.gateway, { kind: "gateway" }), ghosts, skillsOwn);
}

/** Who offers a server: `gateway`, `ghost`, or the skill's name. */
export function offeredBy({ source }: ServerRef): string {
  return source.kind === "skill" ? source.skill : source.kind;
}

/** A server in words. */
export function titleOf({ name, source }: ServerRef): string {
  return `MCP server '${name}' of ${source.kind === "skill" ? `skill '${source.skill}'` : `the ${source.kind}`}`;
}
