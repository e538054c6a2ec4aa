// Sets, lists and deletes the values of skills' variables: a user's own, and those that all users of a skill share. Values are never returned.

import * as z from "zod";
import { canRead, GATEWAY_SCOPE, userScope, visibleScopes } from "../../domain/access/access";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, type Issue } from "../../domain/errors";
import { SECRET_LIMITS } from "../../domain/limits";
import {
  namesOfSkills,
  readSkillNetwork,
  type SkillNetwork,
  skillsNamed,
} from "../../storage/d1/registry/declared-network";
import {
  deleteSkillEnv,
  listSkillEnv,
  putSkillEnv,
  readSkillEnv,
  type SkillEnvFacts,
} from "../../storage/d1/registry/skill-env";
import { requireAdmin } from "../admin";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { seal } from "../secrets/encryption";
import { skillEnvPlace } from "../secrets/skill-env";
import { hostsNotDeclared, networkOfSkill, oneOf, undeclaredHosts } from "./skill-network";
import { skillNotFound } from "./skills";

/** `own`: the caller's values. `shared`: for all users of the skill who have no own value; admins only. */
export type EnvOwner = "own" | "shared";

export interface EnvRequest {
  values: Readonly<Record<string, string>>;
  /** A part of the declared hosts. Default: all hosts that the current version declares. */
  hosts?: readonly string[] | undefined;
}

/** The variables of a skill for the caller, without values. */
export interface SkillVariables {
  skill: SkillNetwork;
  /** Own values first, then shared ones. */
  values: SkillEnvFacts[];
  /** Declared variables without a value. */
  missing: string[];
}

const envCursor = z.object({ skillId: z.string(), name: z.string() });

/** Returns a page of the caller's own values. `skillName` is `null` if the caller can no longer read the skill. */
export async function pageOfSkillEnv(
  context: Context,
  limit: number,
  cursor: string | undefined,
): Promise<{ rows: (SkillEnvFacts & { skillName: string | null })[]; nextCursor: string | null }> {
  const own = userScope(context.caller.principal.userId);
  const found = await listSkillEnv(context.db, own, limit + 1, decodeCursor(cursor, envCursor));
  const { page, nextCursor } = pageOf(found, limit, ({ skillId, name }) => ({ skillId, name }));
  const ids = [...new Set(page.map(({ skillId }) => skillId))];
  const scopes = visibleScopes(context.caller.principal);
  const names = ids.length === 0 ? new Map<string, string>() : await namesOfSkills(context.db, scopes, ids);
  return { rows: page.map((row) => ({ ...row, skillName: names.get(row.skillId) ?? null })), nextCursor };
}

/** @param skill an id, or a name that the caller can read in one scope only */
export async function readVariables(context: Context, skill: string): Promise<SkillVariables> {
  return variablesOf(context, await findByIdOrName(context, skill));
}

/** Sets the named values. Other values of the skill stay. */
export async function setVariables(
  context: Context,
  owner: EnvOwner,
  skill: string,
  { values, hosts }: EnvRequest,
): Promise<SkillVariables> {
  const scope = scopeOfOwner(context, owner);
  const network = owner === "own" ? await findByIdOrName(context, skill) : await networkOfSkill(context, skill);
  const names = Object.keys(values);
  const issues = problemsOf(network, names, hosts);
  if (issues.length > 0) throw notDeclared(issues, network);
  const bound = [...new Set((hosts ?? network.hosts).map((host) => host.toLowerCase()))].sort();
  const { userId } = context.caller.principal;
  const rows = await Promise.all(
    Object.entries(values).map(async ([name, value]) => {
      const row = { scope, skillId: network.id, name, hosts: bound };
      const sealed = await seal(context.settings, skillEnvPlace(row), value);
      return { id: context.newId("env"), ...row, ...sealed, createdBy: userId };
    }),
  );
  const recorded = audited(context, "skill.env.put", network.id, {
    after: { scope: scopeInLog(scope), names, hosts: bound },
    when: { sealed: rows[0]?.ciphertext ?? "", skill: network.id, at: "after" },
  });
  if (await putSkillEnv(recorded, rows, SECRET_LIMITS.perScope)) return variablesOf(context, network);
  // The skill can have been deleted meanwhile.
  await networkOfSkill(context, network.id);
  const message = `Limit of skill variables reached (${SECRET_LIMITS.perScope}). Delete a value first.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit: SECRET_LIMITS.perScope });
}

/** Deletes one value, or without `name` all values of the owner for the skill. */
export async function deleteVariables(
  context: Context,
  owner: EnvOwner,
  skill: string,
  name: string | undefined,
): Promise<void> {
  const scope = scopeOfOwner(context, owner);
  const read = (id: string) => readSkillEnv(context.db, id, [scope], name === undefined ? undefined : [name]);
  // By id first: users can delete their values of a skill that they can no longer read.
  let rows = await read(skill);
  if (rows.length === 0) {
    const { id } = owner === "own" ? await findByIdOrName(context, skill) : await networkOfSkill(context, skill);
    rows = id === skill ? [] : await read(id);
  }
  const [first] = rows;
  if (first === undefined) throw valueNotFound();
  const recorded = audited(context, "skill.env.delete", first.skillId, {
    before: { scope: scopeInLog(scope), names: rows.map((row) => row.name) },
    when: { sealed: first.ciphertext, skill: first.skillId, at: "before" },
  });
  const gone = await deleteSkillEnv(recorded, scope, first.skillId, name);
  if (gone.length === 0) throw valueNotFound();
}

/** Returns the scope of the values. Throws if the caller cannot change them. */
function scopeOfOwner(context: Context, owner: EnvOwner): string {
  if (owner === "own") return userScope(context.caller.principal.userId);
  requireAdmin(context.caller.principal);
  return GATEWAY_SCOPE;
}

async function variablesOf(context: Context, skill: SkillNetwork): Promise<SkillVariables> {
  const own = userScope(context.caller.principal.userId);
  const rows = await readSkillEnv(context.db, skill.id, [own, GATEWAY_SCOPE]);
  const values = [...rows.filter(({ scope }) => scope === own), ...rows.filter(({ scope }) => scope !== own)];
  const set = new Set(values.map(({ name }) => name));
  return { skill, values, missing: skill.env.filter((name) => !set.has(name)) };
}

/** Returns a skill by id, else by name. */
async function findByIdOrName(context: Context, skill: string): Promise<SkillNetwork> {
  const { principal } = context.caller;
  const byId = await readSkillNetwork(context.db, skill);
  if (byId !== null && canRead(principal, byId.scope)) return byId;
  const [only, ...others] = await skillsNamed(context.db, visibleScopes(principal), skill.normalize("NFC"));
  if (only === undefined) throw skillNotFound();
  if (others.length === 0) return networkOfSkill(context, only);
  const ids = [only, ...others];
  const message = `${ids.length} skills that you can use have the name '${skill}'. Use one of their ids: ${ids.join(", ")}.`;
  throw new GatewayError("conflict", "SKILL_AMBIGUOUS", message, { skill_ids: ids });
}

function problemsOf(network: SkillNetwork, names: readonly string[], hosts: readonly string[] | undefined): Issue[] {
  const undeclared = names
    .filter((name) => !network.env.includes(name))
    .map((name) => ({
      code: "ENV_NOT_DECLARED",
      message: `The current version does not declare the variable '${name}'. ${oneOf(network.env)}`,
      path: `values.${name}`,
    }));
  const elsewhere = undeclaredHosts(hosts ?? [], network.hosts, "The current version does not declare");
  if (network.hosts.length > 0 || elsewhere.length > 0) return [...undeclared, ...elsewhere];
  const message =
    "The current version declares no host to which a value can be sent. Declare `network` in the frontmatter.";
  return [...undeclared, { code: "NETWORK_NOT_DECLARED", message, path: "hosts" }];
}

function notDeclared(issues: readonly Issue[], { env, hosts }: SkillNetwork): GatewayError {
  const details = { declared: hosts, declared_env: env };
  const variables = issues.filter(({ code }) => code === "ENV_NOT_DECLARED").length;
  if (variables === 0) return hostsNotDeclared(issues, details);
  const message = `Variables not declared (${variables}). Use variables that the skill declares.`;
  return new GatewayError("invalid", "ENV_NOT_DECLARED", message, { issues, ...details });
}

function valueNotFound(): GatewayError {
  return new GatewayError(
    "not_found",
    "SKILL_ENV_NOT_FOUND",
    "Value not found. Check the skill and the name of the variable.",
  );
}
