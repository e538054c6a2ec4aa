// The catalog: the skills one conversation can see, and how they are listed to a model.

import * as z from "zod";
import { groupOfScope, PUBLIC_SCOPE } from "../access/access";
import { CATALOG_LIMITS } from "../limits";
import { parseReference } from "../reference";
import { catalogLine } from "../tokens";
import { LIST_FRAME_TOKENS, LIST_MORE_TOKENS } from "./list";
import { byCodePoint } from "./precedence";
import type { SkillRef } from "./skill-ref";

export const catalogEntrySchema = z.lazy(() =>
  z.object({
    name: z.string(),
    skill_id: z.string(),
    version_id: z.string(),
    version: z.string().nullable(),
    scope: z.string(),
    /** The description as the list shows it, see `listedDescription`. */
    description: z.string(),
    /** Tokens of the list's line and of the instructions, counted when publishing. */
    line_tokens: z.number(),
    tokens: z.number(),
    /** Bytes of the instructions. */
    bytes: z.number().default(0),
    /** Whether it has tools or servers, and so is worth loading even without instructions. */
    has_capabilities: z.boolean(),
    /** Dependencies as written, see `dependency-list.ts`. */
    needs: z.array(z.string()),
    /** Only users can select it: the author excludes it from models (`disable-model-invocation`). */
    user_only: z.boolean().default(false),
    /** Rank among recently used public skills by overall use; otherwise `null`. */
    rank: z.number().nullable().default(null),
    /** The version is the candidate of a rollout, and the conversation is one of those that use it. */
    candidate: z.boolean().optional(),
  }),
);

/** Level 1 of a skill at the version this conversation sees. */
export type CatalogEntry = z.infer<typeof catalogEntrySchema>;

export interface Catalog {
  /** By name. The whole catalog, or the first `CATALOG_LIMITS.listedSkills` by `nearestFirst`, plus preloaded ones. */
  entries: CatalogEntry[];
  /** Number of skills in the whole catalog. */
  total: number;
  /** Tokens of all instructions of the whole catalog: the cost of static injection per turn. */
  static_tokens: number;
  /** Token budget of the list. */
  list_tokens: number;
}

/** The part of a catalog that is read from the registry. */
export type CatalogRead = Omit<Catalog, "list_tokens">;

export const EMPTY_CATALOG: CatalogRead = { entries: [], total: 0, static_tokens: 0 };

/**
 * Orders skills by owner: the user's, groups', public. A limit leaves out public skills first, so nobody can crowd out what a user or group
 * has made. Groups take turns.
 */
export function nearestFirst(entries: readonly CatalogEntry[]): CatalogEntry[] {
  const counts = new Map<string, number>();
  const placed = entries.toSorted(byRank).map((entry) => {
    const place = counts.get(entry.scope) ?? 0;
    counts.set(entry.scope, place + 1);
    return { entry, place };
  });
  return placed
    .toSorted((a, b) => distance(a.entry) - distance(b.entry) || a.place - b.place)
    .map(({ entry }) => entry);
}

/** Most used first, then by name. The order is the same for everybody. */
function byRank(a: CatalogEntry, b: CatalogEntry): number {
  const [first, second] = [a.rank ?? Number.MAX_SAFE_INTEGER, b.rank ?? Number.MAX_SAFE_INTEGER];
  return first - second || byCodePoint(a.name, b.name);
}

function distance({ scope }: CatalogEntry): number {
  return scope === PUBLIC_SCOPE ? 2 : groupOfScope(scope) !== null ? 1 : 0;
}

/**
 * Returns the skills that fit into the list's tokens, the number left out, and the tokens of the lines. Preloaded skills come first, then
 * public ones in the shared order, because text shared by many prompts should come first; the user's own come last and are left out last.
 * Skills that only users can select are not listed.
 */
export function listed(
  catalog: Catalog,
  preloaded: readonly string[],
): { shown: CatalogEntry[]; more: number; tokens: number } {
  const open = catalog.entries.filter((entry) => !entry.user_only);
  const byName = new Map(open.map((entry) => [entry.name, entry]));
  const first = preloaded.flatMap((name) => byName.get(name) ?? []);
  const wanted = [...new Set([...first, ...nearestFirst(open)])];
  const total = catalog.total - (catalog.entries.length - open.length);
  const room = catalog.list_tokens - LIST_FRAME_TOKENS;
  const whole = fitting(wanted, room);
  const isCut = whole.count < total;
  const fits = isCut ? fitting(wanted, room - LIST_MORE_TOKENS) : whole;
  const chosen = new Set(wanted.slice(0, fits.count));
  const farthest = open.toSorted((a, b) => distance(b) - distance(a) || byRank(a, b));
  const shown = [...new Set([...first, ...farthest])].filter((entry) => chosen.has(entry));
  return { shown, more: total - shown.length, tokens: fits.tokens + (isCut ? LIST_MORE_TOKENS : 0) };
}

/** Returns how many of the first skills fit, and the tokens of their lines. */
function fitting(entries: readonly CatalogEntry[], room: number): { count: number; tokens: number } {
  let tokens = 0;
  for (const [count, entry] of entries.entries()) {
    const cost = lineTokens(entry);
    if (count >= CATALOG_LIMITS.listedSkills || tokens + cost > room) return { count, tokens };
    tokens += cost;
  }
  return { count: entries.length, tokens };
}

/** Whether a model is shown any skill. */
export function hasListed({ shown, more }: { shown: readonly CatalogEntry[]; more: number }): boolean {
  return shown.length > 0 || more > 0;
}

/** Returns the maximum tokens of a line. Earlier gateways counted the whole description, which is no longer shown. */
export function lineTokens({ name, description, line_tokens }: CatalogEntry): number {
  if (line_tokens <= CATALOG_LIMITS.lineTokens) return line_tokens;
  return Math.min(line_tokens, utf8.encode(catalogLine(name, description)).length);
}

const utf8 = new TextEncoder();

/** Returns the reference that events store of a catalog entry. */
export function refOf(entry: CatalogEntry): SkillRef {
  const { name, skill_id, version_id, version, tokens, bytes } = entry;
  const needed = entry.needs.flatMap((text) => parseReference(text)?.name ?? []);
  const candidate = entry.candidate === true ? { candidate: true } : {};
  return { name, skill_id, version_id, version, tokens, bytes, dependencies: [...new Set(needed)], ...candidate };
}
