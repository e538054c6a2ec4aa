// Lists of skills: one's own, everything one sees with shadowed names left out, and the one skill that a name means.

import * as z from "zod";
import { DEFAULT_NAMESPACE, groupScope, PUBLIC_SCOPE, userScope, visibleScopes } from "../../domain/access/access";
import { chooseVersion } from "../../domain/catalog/catalog";
import { decodeCursor, encodeCursor } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import { REQUEST_LIMITS } from "../../domain/limits";
import { compareCodePoints } from "../../domain/order";
import {
  countSkillsOf,
  findNamed,
  firstOfScopes,
  listSkills,
  nameAt,
  readSkillAt,
  type SkillRecord,
  type SkillSummary,
} from "../../storage/d1/skills";
import type { Context } from "../context";
import { scopeNamed, skillNotFound } from "./skills";

export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  skip?: number | undefined;
}

export interface SkillQuery extends PageQuery {
  namespace?: string | undefined;
  name?: string | undefined;
  exact_match: boolean;
  count: boolean;
}

/** Which skills a unified list shows. */
export type ListScope = "all" | "personal" | "group" | "public";

const nameCursor = z.object({ name: z.string() });

/** The skills of one namespace by name; with `name` the one skill it means: own, then the group's, then public. */
export async function readSkills(
  context: Context,
  query: SkillQuery,
): Promise<{ records: SkillRecord[]; nextCursor: string | null; total: number | null }> {
  const { principal } = context.caller;
  const scope = scopeNamed(principal, query.namespace ?? DEFAULT_NAMESPACE);
  if (!context.settings.SKILLS_ENABLED) return { records: [], nextCursor: null, total: query.count ? 0 : null };
  if (query.name !== undefined) {
    const group = query.namespace === undefined || query.namespace === DEFAULT_NAMESPACE ? null : scope;
    const scopes = query.exact_match
      ? [scope]
      : group === null
        ? visibleScopes(principal)
        : [userScope(principal.userId), group, PUBLIC_SCOPE];
    const found = await currentOf(context, scopes, query.name);
    return {
      records: found === null ? [] : [found],
      nextCursor: null,
      total: query.count ? (found === null ? 0 : 1) : null,
    };
  }
  const after = decodeCursor(query.cursor, nameCursor)?.name ?? null;
  const limit = query.limit ?? REQUEST_LIMITS.listLimit;
  const [{ records, next }, total] = await Promise.all([
    listSkills(context.db, scope, { after, skip: query.skip ?? 0, limit }),
    query.count ? countSkillsOf(context.db, scope) : null,
  ]);
  return { records, nextCursor: next === null ? null : encodeCursor({ name: next }), total };
}

/** What the caller may offer to a model, each name once: an own skill hides a group's, a group's hides a public one. */
export async function readUnified(
  context: Context,
  which: ListScope,
  groupName: string | undefined,
  query: PageQuery,
): Promise<{ skills: SkillSummary[]; nextCursor: string | null }> {
  const scopes = scopesOf(context, which, groupName);
  if (!context.settings.SKILLS_ENABLED) return { skills: [], nextCursor: null };
  const after = decodeCursor(query.cursor, nameCursor)?.name ?? null;
  const limit = query.limit ?? REQUEST_LIMITS.listLimit;
  const rows =
    context.settings.SKILLS_ALLOWED.length > 0
      ? (await allowedOf(context, scopes))
          .filter((row) => after === null || compareCodePoints(row.name, after) > 0)
          .slice(query.skip ?? 0)
      : await pageOf(context, scopes, after, query.skip ?? 0, limit + 1);
  const skills = rows.slice(0, limit);
  const last = skills.at(-1);
  return { skills, nextCursor: rows.length > limit && last !== undefined ? encodeCursor({ name: last.name }) : null };
}

/** The instructions of the skill that a name means, within the allow-list. */
export async function invokeSkill(context: Context, name: string): Promise<string> {
  if (!context.settings.SKILLS_ENABLED)
    throw new GatewayError("forbidden", "SKILLS_DISABLED", "skills are not enabled");
  const scopes = visibleScopes(context.caller.principal);
  const normal = name.normalize("NFC");
  const chosen =
    context.settings.SKILLS_ALLOWED.length > 0
      ? ((await allowedOf(context, scopes, normal))[0] ?? null)
      : pick(await findNamed(context.db, scopes, [normal], "current"), scopes, []);
  const skill = chosen === null ? null : await readSkillAt(context.db, chosen.versionId);
  if (skill === null) throw skillNotFound();
  if (skill.instructions !== "") return skill.instructions;
  throw new GatewayError("invalid", "SKILL_HAS_NO_PROMPT", `Skill '${skill.name}' has no prompt content.`);
}

/** The row that a name means: of the first scope that has a version which fits all ranges, that version. */
export function pick(
  rows: readonly SkillSummary[],
  scopes: readonly string[],
  ranges: readonly string[],
): SkillSummary | null {
  for (const scope of scopes) {
    const versions = rows
      .filter((row) => row.scope === scope)
      .map((row) => ({ row, version_id: row.versionId, version: row.label }));
    const chosen = chooseVersion(versions[0]?.row.currentId ?? "", versions, ranges);
    if (chosen !== null) return chosen.row;
  }
  return null;
}

async function currentOf(context: Context, scopes: readonly string[], name: string): Promise<SkillRecord | null> {
  const found = pick(await findNamed(context.db, scopes, [name.normalize("NFC")], "current"), scopes, []);
  return found === null ? null : readSkillAt(context.db, found.versionId);
}

function scopesOf(context: Context, which: ListScope, groupName: string | undefined): string[] {
  const { principal } = context.caller;
  if (which === "public") return [PUBLIC_SCOPE];
  if (which === "personal") return [userScope(principal.userId), PUBLIC_SCOPE];
  if (which === "all") return visibleScopes(principal);
  if (groupName === undefined || groupName === DEFAULT_NAMESPACE) {
    throw invalid([
      { code: "INVALID_FIELD", message: "`scope=group` needs the group's name.", path: "query.group_name" },
    ]);
  }
  scopeNamed(principal, groupName);
  return [groupScope(groupName), PUBLIC_SCOPE];
}

/** A page of distinct names. Enough of every scope's first rows hold the first rows of all of them together. */
async function pageOf(
  context: Context,
  scopes: readonly string[],
  after: string | null,
  skip: number,
  limit: number,
): Promise<SkillSummary[]> {
  const start = skip === 0 ? after : await nameAt(context.db, scopes, skip - 1);
  if (skip > 0 && start === null) return [];
  const rows = await firstOfScopes(context.db, scopes, start, limit);
  return firstOfEach(rows, scopes).slice(0, limit);
}

/** What the allow-list lets through: a list of names, so it is read as a whole. */
async function allowedOf(context: Context, scopes: readonly string[], only?: string): Promise<SkillSummary[]> {
  const ranges = new Map<string, string>();
  for (const { name, range } of context.settings.SKILLS_ALLOWED) {
    if (!ranges.has(name) && (only === undefined || name === only)) ranges.set(name, range);
  }
  const which = [...ranges.values()].every((range) => range === "*") ? "current" : "all";
  const rows = Map.groupBy(await findNamed(context.db, scopes, [...ranges.keys()], which), (row) => row.name);
  return byName([...ranges].flatMap(([name, range]) => pick(rows.get(name) ?? [], scopes, [range]) ?? []));
}

function firstOfEach(rows: readonly SkillSummary[], scopes: readonly string[]): SkillSummary[] {
  const rank = new Map(scopes.map((scope, index) => [scope, index]));
  const best = new Map<string, SkillSummary>();
  for (const row of rows) {
    const known = best.get(row.name);
    if (known === undefined || (rank.get(row.scope) ?? 0) < (rank.get(known.scope) ?? 0)) best.set(row.name, row);
  }
  return byName([...best.values()]);
}

function byName(rows: SkillSummary[]): SkillSummary[] {
  return rows.sort((a, b) => compareCodePoints(a.name, b.name));
}
