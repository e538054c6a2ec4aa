// Lists skills: of one namespace, or everything visible to the caller without shadowed names.

import * as z from "zod";
import { DEFAULT_NAMESPACE, groupScope, PUBLIC_SCOPE, userScope, visibleScopes } from "../../domain/access/access";
import { byCodePoint, firstOfEach } from "../../domain/catalog/precedence";
import { decodeCursor, encodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, invalid } from "../../domain/errors";
import { REQUEST_LIMITS, SEARCH_LIMITS } from "../../domain/limits";
import { isIndexMissing } from "../../storage/d1/database";
import { searchSkills } from "../../storage/d1/search";
import {
  countSkillsOf,
  firstOfScopes,
  listSkills,
  nameAt,
  readContentsOf,
  readSkillsAt,
} from "../../storage/d1/skill-lists";
import type { SkillRecord, SkillSummary } from "../../storage/d1/skills";
import type { Context } from "../context";
import { allowedOf, currentOf } from "./by-name";
import { scopeNamed } from "./skills";

export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  skip?: number | undefined;
}

export interface SkillQuery extends PageQuery {
  namespace?: string | undefined;
  name?: string | undefined;
  /** Search text, instead of a name. */
  q?: string | undefined;
  exact_match: boolean;
  count: boolean;
}

/** Which skills a unified list shows. */
export type ListScope = "all" | "personal" | "group" | "public";

const nameCursor = z.object({ name: z.string() });
const hitCursor = z.object({ hits: z.int().min(0) });

/**
 * Returns the skills of one namespace by name. With `name`, the skill it refers to: own, then the group's, then public. With `q`, search
 * results, best first: of everything visible, or of the namespace. An empty `q` is ignored.
 */
export async function readSkills(
  context: Context,
  query: SkillQuery,
): Promise<{ records: SkillRecord[]; nextCursor: string | null; total: number | null }> {
  const { principal } = context.caller;
  const scope = scopeNamed(principal, query.namespace ?? DEFAULT_NAMESPACE);
  if (!context.settings.SKILLS_ENABLED) return { records: [], nextCursor: null, total: query.count ? 0 : null };
  if (query.q !== undefined && query.q.trim() !== "") {
    const scopes = query.namespace === undefined ? visibleScopes(principal) : [scope];
    return { ...(await searchPage(context, scopes, query.q, query)), total: null };
  }
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

/** Returns a page of search results. The cursor is a position, so concurrent publishing can move a skill to another page. */
async function searchPage(
  context: Context,
  scopes: readonly string[],
  query: string,
  page: PageQuery,
): Promise<{ records: SkillRecord[]; nextCursor: string | null }> {
  const skip = decodeCursor(page.cursor, hitCursor)?.hits ?? page.skip ?? 0;
  const limit = page.limit ?? REQUEST_LIMITS.listLimit;
  const { records, next } = await readSkillsAt(
    context.db,
    await hitsOf(context, scopes, query, limit + 1, skip),
    limit,
  );
  return { records, nextCursor: next === null ? null : encodeCursor({ hits: skip + next }) };
}

/** Returns the versions found by a search, within the allow-list if there is one. */
async function hitsOf(context: Context, scopes: readonly string[], query: string, limit: number, skip: number) {
  const allowList = context.settings.SKILLS_ALLOWED;
  const [first, most] = allowList.length === 0 ? [skip, limit] : [0, SEARCH_LIMITS.rows];
  const [hits, allowed] = await Promise.all([
    orOutOfOrder(searchSkills(context.db, scopes, query, most, first)),
    allowList.length === 0 ? null : allowedOf(context, scopes),
  ]);
  if (allowed === null) return hits.map((hit) => hit.versionId);
  const chosen = new Map(allowed.map((row) => [row.id, row.versionId]));
  return hits.flatMap((hit) => chosen.get(hit.id) ?? []).slice(skip, skip + limit);
}

async function orOutOfOrder<T>(search: Promise<T>): Promise<T> {
  try {
    return await search;
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
    const message =
      "Search is not available because its index is missing. The operator must run `npm run reindex`. Lists still work.";
    throw new GatewayError("unavailable", "SEARCH_INDEX_MISSING", message);
  }
}

/** Returns what the caller can offer to a model, each name once: own skills hide a group's, and these hide public ones. */
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
          .filter((row) => after === null || byCodePoint(row.name, after) > 0)
          .slice(query.skip ?? 0)
      : await firstNames(context, scopes, after, query.skip ?? 0, limit + 1);
  const { page, nextCursor } = pageOf(rows, limit, ({ name }) => ({ name }));
  return { skills: page, nextCursor };
}

function scopesOf(context: Context, which: ListScope, groupName: string | undefined): string[] {
  const { principal } = context.caller;
  if (which === "public") return [PUBLIC_SCOPE];
  if (which === "personal") return [userScope(principal.userId), PUBLIC_SCOPE];
  if (which === "all") return visibleScopes(principal);
  if (groupName === undefined || groupName === DEFAULT_NAMESPACE) {
    throw invalid([
      {
        code: "INVALID_FIELD",
        message: "`group_name` is required with `scope=group`. Add it.",
        path: "query.group_name",
      },
    ]);
  }
  scopeNamed(principal, groupName);
  return [groupScope(groupName), PUBLIC_SCOPE];
}

/** Returns what the skills contain, by the ids of their versions. */
export const readContents = (context: Context, skills: readonly SkillSummary[]) =>
  readContentsOf(
    context.db,
    skills.map(({ versionId }) => versionId),
  );

/** Returns a page of distinct names, merged from the first rows of each scope. */
async function firstNames(
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
