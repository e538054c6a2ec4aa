// The catalog: the skills one conversation may see, and how they are listed to a model.

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
    /** What the list shows of it, see `listedDescription`. */
    description: z.string(),
    /** Tokens of the list's line as they were counted at publish, and of the instructions. */
    line_tokens: z.number(),
    tokens: z.number(),
    /** Of the instructions. */
    bytes: z.number().default(0),
    /** Whether it brings tools or servers, so that it is worth loading even without instructions. */
    has_capabilities: z.boolean(),
    /** Dependencies as written, see `needs.ts`. */
    needs: z.array(z.string()),
    /** Whether only users may choose it: its author keeps it from models (`disable-model-invocation`). */
    user_only: z.boolean().default(false),
    /** Its place in the shared order: what is public and was used lately, by everybody's use. `null` for anything else. */
    rank: z.number().nullable().default(null),
  }),
);

/** Level 1 of a skill at the version this conversation sees. */
export type CatalogEntry = z.infer<typeof catalogEntrySchema>;

export interface Catalog {
  /** In order of name. All of the catalog, or `CATALOG_LIMITS.listedSkills` of a larger one by `nearestFirst`, plus preloaded ones. */
  entries: CatalogEntry[];
  /** Skills in the whole catalog. */
  total: number;
  /** Tokens of all instructions of the whole catalog: what static injection would cost a turn. */
  static_tokens: number;
  /** What the list may have of tokens. */
  list_tokens: number;
}

/** What the registry has of a catalog. */
export type CatalogRead = Omit<Catalog, "list_tokens">;

export const EMPTY_CATALOG: CatalogRead = { entries: [], total: 0, static_tokens: 0 };

/**
 * Orders skills by who they are for: one's own, those of one's groups, everybody's. What a limit leaves out is public first, so nobody
 * can crowd out what a user or a group has made for itself. Groups take turns, so that none crowds out another.
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

/** What is used most comes first, then the name decides. The order is the same for everybody. */
function byRank(a: CatalogEntry, b: CatalogEntry): number {
  const [first, second] = [a.rank ?? Number.MAX_SAFE_INTEGER, b.rank ?? Number.MAX_SAFE_INTEGER];
  return first - second || byCodePoint(a.name, b.name);
}

function distance({ scope }: CatalogEntry): number {
  return scope === PUBLIC_SCOPE ? 2 : groupOfScope(scope) !== null ? 1 : 0;
}

/**
 * The skills that the list shows within its tokens, how many it leaves out, and the tokens of all its lines. Preloaded ones come first,
 * then everybody's in the shared order, since what many prompts share should stand before what few do; the nearest come last and
 * are left out last. What only users may choose is in no list.
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

/** How many of the first skills fit, and the tokens of their lines. */
function fitting(entries: readonly CatalogEntry[], room: number): { count: number; tokens: number } {
  let tokens = 0;
  for (const [count, entry] of entries.entries()) {
    const cost = lineTokens(entry);
    if (count >= CATALOG_LIMITS.listedSkills || tokens + cost > room) return { count, tokens };
    tokens += cost;
  }
  return { count: entries.length, tokens };
}

/** Whether a model is shown any skill at all. */
export function hasListed({ shown, more }: { shown: readonly CatalogEntry[]; more: number }): boolean {
  return shown.length > 0 || more > 0;
}

/** What a line costs at most. Versions of earlier gateways were counted with all of their description, which nobody sees now. */
export function lineTokens({ name, description, line_tokens }: CatalogEntry): number {
  if (line_tokens <= CATALOG_LIMITS.lineTokens) return line_tokens;
  return Math.min(line_tokens, utf8.encode(catalogLine(name, description)).length);
}

const utf8 = new TextEncoder();

/** The reference that events keep of a catalog entry. */
export function refOf(entry: CatalogEntry): SkillRef {
  const { name, skill_id, version_id, version, tokens, bytes } = entry;
  const needed = entry.needs.flatMap((text) => parseReference(text)?.name ?? []);
  return { name, skill_id, version_id, version, tokens, bytes, dependencies: [...new Set(needed)] };
}
