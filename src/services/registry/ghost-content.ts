// Builds a ghost's rows: its spec in canonical form, and its skills resolved in the ghost's scope.

import { groupOfScope, kindOfScope, skillScopes, userScope, visibleScopes } from "../../domain/access/access";
import { checkGhostSpec, type GhostSpec } from "../../domain/catalog/ghost";
import { isPinned, type Pin, pinsOf } from "../../domain/catalog/pin";
import { type Issue, invalid } from "../../domain/errors";
import { literalCredentials, literalCredentialText } from "../../domain/package/credentials";
import { foldName } from "../../domain/package/path";
import { DRAFT_PREFIX, parseReference } from "../../domain/reference";
import { unwrapServers } from "../../domain/servers/entry";
import type { GhostContent } from "../../storage/d1/ghosts";
import { findNamed } from "../../storage/d1/skills";
import { findDrafts } from "../catalog/drafts";
import { preloadIssues } from "../catalog/preload";
import type { Context } from "../context";
import { chooseSkill } from "./by-name";

export interface GhostRequest {
  namespace: string;
  name: string;
  spec: GhostSpec;
}

/** Returns the rows of a ghost with its skills resolved. Throws with all issues of the spec. */
export async function contentOf(context: Context, scope: string, request: GhostRequest): Promise<GhostContent> {
  const { content, issues } = await examineGhost(context, scope, request);
  if (issues.length > 0) throw invalid(issues, "The ghost's spec is not valid.");
  return content;
}

/** Like `contentOf`, and returns the issues instead of throwing. */
export async function examineGhost(
  context: Context,
  scope: string,
  { namespace, name, ...given }: GhostRequest,
): Promise<{ content: GhostContent; issues: Issue[] }> {
  const spec = canonical(given.spec);
  const { skills, unresolved } = await resolveSkills(context, scope, spec);
  const preload = await preloadIssues(context, spec, skillScopes(context.caller.principal, scope));
  const issues = [...checkGhostSpec(spec), ...sharedCredentials(scope, spec), ...unresolved, ...preload];
  return { content: { namespace, name, folded: foldName(name), spec, skills }, issues };
}

/** Rejects credentials in shared ghosts, because all their users could read them. */
function sharedCredentials(scope: string, { mcpServers = {} }: GhostSpec): Issue[] {
  if (kindOfScope(scope) === "user") return [];
  const { servers, keys: outer } = unwrapServers(mcpServers);
  return literalCredentials(servers).map((found) => ({
    code: "CREDENTIAL_LITERAL",
    message: `The agent (ghost) would expose credentials to everybody who can see it. ${literalCredentialText(found)}`,
    path: ["spec.mcpServers", ...outer, ...found.keys].join("."),
  }));
}

/** A skill that a spec names, and its place in the spec. */
interface Wanted {
  path: string;
  name: string;
  range: string;
  /** Index in the list; `null` for a skill that is only preloaded or pinned and covered by `*`. */
  position: number | null;
  pin: Pin | null;
}

async function resolveSkills(
  context: Context,
  scope: string,
  spec: GhostSpec,
): Promise<{ skills: GhostContent["skills"]; unresolved: Issue[] }> {
  const { principal } = context.caller;
  const all = wantedBy(spec, userScope(principal.userId));
  const wanted = all.filter(({ name }) => !name.startsWith(DRAFT_PREFIX));
  const names = wanted.map(({ name }) => name);
  const which = wanted.every(({ range }) => range === "*") ? "current" : "all";
  // Includes everything the caller sees, to distinguish "not visible to the ghost's users" from "not found".
  const rows = Map.groupBy(await findNamed(context.db, visibleScopes(principal), names, which), (row) => row.name);
  const scopes = skillScopes(principal, scope);
  const skills: GhostContent["skills"] = [];
  const unresolved = await draftIssues(context, scope, all);
  for (const { path, position, name, range, pin } of wanted) {
    // A reference to another user's skill is treated as not found.
    const known = (rows.get(name) ?? []).filter((row) => isPinned(pin, { skill_id: row.id, scope: row.scope }));
    const shared = known.filter((row) => scopes.includes(row.scope));
    const found = chooseSkill(shared, scopes, [range]);
    if (found !== null) {
      if (position !== null) skills.push({ position, name, range, skill_id: found.id });
    } else if (shared.length > 0) {
      unresolved.push({
        code: "RANGE_UNSATISFIED",
        message: `No version of '${name}' satisfies '${range}'. Change the range.`,
        path,
      });
    } else if (known.length > 0) {
      unresolved.push(notShared(scope, name, path));
    } else if (position !== null || pin !== null) {
      unresolved.push({ code: "UNKNOWN_SKILL", message: `Skill '${name}' not found. Check the name.`, path });
    }
  }
  return { skills, unresolved };
}

/** Rejects drafts in shared ghosts, because only the author and named users can use them. Drafts are resolved on use. */
async function draftIssues(context: Context, scope: string, wanted: readonly Wanted[]): Promise<Issue[]> {
  const drafts = wanted.filter(({ name }) => name.startsWith(DRAFT_PREFIX));
  if (drafts.length === 0) return [];
  const names = drafts.map(({ name }) => name);
  const found = new Set((await findDrafts(context, names)).map(({ name }) => name));
  return drafts.flatMap(({ name, path }) => {
    if (!found.has(name)) return { code: "UNKNOWN_SKILL", message: `Skill '${name}' not found. Check the name.`, path };
    return scope === userScope(context.caller.principal.userId) ? [] : notShared(scope, name, path);
  });
}

function wantedBy(spec: GhostSpec, own: string): Wanted[] {
  const pins = pinsOf(spec, own);
  const pinned = (name: string) => pins.get(name) ?? null;
  const listed = [...(spec.skills ?? []).entries()].flatMap(([position, text]): Wanted[] => {
    const reference = text === "*" ? null : parseReference(text);
    if (reference === null) return [];
    return [{ path: `spec.skills[${position}]`, position, ...reference, pin: pinned(reference.name) }];
  });
  const names = new Set(listed.map(({ name }) => name));
  const preloaded = [...(spec.preload_skills ?? []).entries()].flatMap(([index, name]): Wanted[] =>
    names.has(name)
      ? []
      : [{ path: `spec.preload_skills[${index}]`, position: null, name, range: "*", pin: pinned(name) }],
  );
  if (!spec.skills?.includes("*")) return [...listed, ...preloaded];
  const named = new Set([...listed, ...preloaded].map(({ name }) => name));
  const further = [...pins].flatMap(([name, pin]): Wanted[] =>
    named.has(name) ? [] : [{ path: `spec.skill_refs.${name}`, position: null, name, range: "*", pin }],
  );
  return [...listed, ...preloaded, ...further];
}

/** This issue is only shown to callers who see the skill. */
function notShared(scope: string, name: string, path: string): Issue {
  const group = groupOfScope(scope);
  const [who, how] =
    group === null
      ? ["everybody", "Ask an admin to publish it for everybody"]
      : [`every member of '${group}'`, `Share it with the group (POST /api/v1/kinds/skills/{id}/share)`];
  const message = `The skill '${name}' is not visible to ${who}, but the agent (ghost) would give it to them. ${how}, or remove it.`;
  return { code: "SKILL_NOT_SHARED", message, path };
}

/** Returns the spec with names as stored and without blanks, so that references can be found by text comparison. */
function canonical(spec: GhostSpec): GhostSpec {
  const skills = spec.skills?.map((text) => {
    const reference = text === "*" ? null : parseReference(text.normalize("NFC"));
    if (reference === null) return text;
    return text.includes("@") && !text.startsWith(DRAFT_PREFIX)
      ? `${reference.name}@${reference.range}`
      : reference.name;
  });
  const preload = spec.preload_skills?.map((name) => name.normalize("NFC").trim());
  return {
    ...spec,
    ...(skills === undefined ? {} : { skills }),
    ...(preload === undefined ? {} : { preload_skills: preload }),
  };
}
