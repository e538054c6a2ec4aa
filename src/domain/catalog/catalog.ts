// The catalog: the skills one conversation may see, and how they are listed to a model.

import * as z from "zod";
import { groupOfScope, PUBLIC_SCOPE } from "../access/access";
import { CATALOG_LIMITS } from "../limits";
import { parseReference } from "../reference";
import { catalogLine } from "../tokens";
import { byCodePoint } from "./precedence";
import type { SkillRef } from "./skill-ref";

export const catalogEntrySchema = z.object({
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
});

/** Level 1 of a skill at the version this conversation sees. */
export type CatalogEntry = z.infer<typeof catalogEntrySchema>;

export interface Catalog {
  /** In order of name. All of the catalog, or `CATALOG_LIMITS.listedSkills` of a larger one by `nearestFirst`, plus preloaded ones. */
  entries: CatalogEntry[];
  /** Skills in the whole catalog. */
  total: number;
  /** Tokens of all instructions of the whole catalog: what static injection would cost a turn. */
  static_tokens: number;
}

export const EMPTY_CATALOG: Catalog = { entries: [], total: 0, static_tokens: 0 };

/**
 * Orders skills by who they are for, then by name: one's own, those of one's groups, everybody's. What a limit leaves out is
 * public first, so nobody can crowd out what a user or a group has made for itself.
 */
export function nearestFirst(a: CatalogEntry, b: CatalogEntry): number {
  return distance(a) - distance(b) || byCodePoint(a.name, b.name);
}

function distance({ scope }: CatalogEntry): number {
  return scope === PUBLIC_SCOPE ? 2 : groupOfScope(scope) !== null ? 1 : 0;
}

/**
 * The skills that the list shows within the limits, and how many it leaves out. Preloaded ones come first, then everybody's,
 * since what many prompts share should stand before what few do; the nearest come last and are left out last. What only users may
 * choose is in no list.
 */
export function listed(
  catalog: Catalog,
  preloaded: readonly string[],
): { shown: CatalogEntry[]; more: number; tokens: number } {
  const open = catalog.entries.filter((entry) => !entry.user_only);
  const byName = new Map(open.map((entry) => [entry.name, entry]));
  const first = preloaded.flatMap((name) => byName.get(name) ?? []);
  const nearest = open.toSorted(nearestFirst);
  const chosen = new Set<CatalogEntry>();
  let tokens = 0;
  for (const entry of new Set([...first, ...nearest])) {
    const cost = lineTokens(entry);
    if (chosen.size >= CATALOG_LIMITS.listedSkills || tokens + cost > CATALOG_LIMITS.listedTokens) break;
    chosen.add(entry);
    tokens += cost;
  }
  const farthest = nearest.toSorted((a, b) => distance(b) - distance(a));
  const shown = [...new Set([...first, ...farthest])].filter((entry) => chosen.has(entry));
  return { shown, more: catalog.total - (catalog.entries.length - open.length) - shown.length, tokens };
}

/** Whether a model is shown any skill at all. */
export function hasListed({ shown, more }: { shown: readonly CatalogEntry[]; more: number }): boolean {
  return shown.length > 0 || more > 0;
}

/** What a line costs at most. Versions of earlier gateways were counted with all of their description, which nobody sees now. */
function lineTokens({ name, description, line_tokens }: CatalogEntry): number {
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
