// The MCP servers of a conversation: those of the gateway, groups, user, ghost and active skills. More specific ones replace others.

import { groupOfScope } from "../access/access";
import type { SkillRef } from "../catalog/skill-ref";
import type { View } from "../catalog/view";
import type { JsonObject } from "../json";
import { type ConfiguredServer, mergeServers, readServers, type ServerSource } from "../servers/entry";
import { type ApprovedTools, guardOf, type OAuthEntry, oauthOf } from "../servers/owner";

/** A server of this conversation. */
export type ServerRef = ConfiguredServer & {
  /** The skill that offers it; `null` if none does. */
  skill: SkillRef | null;
  /** The tools that its guard accepts, by name, with their digests; `null` without a guard. */
  approved: ApprovedTools | null;
  /** How the gateway gets tokens for it; `null` for servers of skills and ghosts. */
  oauth: OAuthEntry | null;
};

/** What an active skill declares about servers. */
export interface SkillServers {
  skill: SkillRef;
  servers: JsonObject;
}

/**
 * Returns the servers in effect: those without a skill first, then the skills' in order of activation. A disabled server still replaces a
 * less specific one of the same name.
 */
export function serversOf(view: View, skills: readonly SkillServers[]): ServerRef[] {
  const skillsOwn = skills.flatMap(({ skill, servers: own }) =>
    readServers(own, { kind: "skill", skill: skill.name }).map(
      (server): ServerRef => ({ ...server, skill, approved: null, oauth: null }),
    ),
  );
  const ghosts = general(view.servers.ghost, { kind: "ghost", shared: view.selection.shared });
  return mergeServers([...ownedServers(view), ...ghosts], skillsOwn).filter(({ entry }) => entry?.enabled !== false);
}

/** Returns the servers of the gateway, groups and the user, the most specific last. */
function ownedServers({ servers: { gateway, approved, own } }: View): ServerRef[] {
  const guarded = stored(gateway, { kind: "gateway" }).map((server) => ({
    ...server,
    approved: guardOf(gateway[server.name] ?? {}, approved[server.name] ?? null),
  }));
  // Earlier ones take precedence over later ones of the same name.
  const others = own.toReversed().flatMap(({ scope, name, entry }) => stored({ [name]: entry }, sourceOfScope(scope)));
  return [...guarded, ...others];
}

/** Returns the source of a group's or user's server. */
export function sourceOfScope(scope: string): ServerSource {
  const group = groupOfScope(scope);
  return group === null ? { kind: "user" } : { kind: "group", group };
}

function stored(entries: Record<string, JsonObject>, source: ServerSource): ServerRef[] {
  return general(entries, source).map((server) => ({ ...server, oauth: oauthOf(entries[server.name] ?? {}) }));
}

function general(entries: JsonObject, source: ServerSource): ServerRef[] {
  return readServers(entries, source).map(
    (server): ServerRef => ({ ...server, skill: null, approved: null, oauth: null }),
  );
}

/** Returns who offers a server: `gateway`, `group:<name>`, `user`, `ghost`, or the skill's name. */
export function offeredBy({ source }: ServerRef): string {
  if (source.kind === "skill") return source.skill;
  return source.kind === "group" ? `group:${source.group}` : source.kind;
}

/** Returns the description of a server for messages. */
export function titleOf({ name, source }: ServerRef): string {
  return `MCP server '${name}' of ${ownerInWords(source)}`;
}

function ownerInWords(source: ServerSource): string {
  if (source.kind === "skill") return `skill '${source.skill}'`;
  return source.kind === "group" ? `the group '${source.group}'` : `the ${source.kind}`;
}
