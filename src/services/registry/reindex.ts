// The search index made again from the rows, while the gateway serves.

import { reindexSkills } from "../../storage/d1/search";
import { requireAdmin } from "../admin";
import type { Context } from "../context";

/** Skills that one request writes at most: it is to end well before a storage call's deadline. */
const PAGE = 200;

/** Writes the index of the next skills. Doing it twice, or by two at once, does no harm. */
export async function reindex(context: Context, after: number): Promise<{ indexed: number; next: number | null }> {
  requireAdmin(context.caller.principal);
  return reindexSkills(context.db, after, PAGE);
}
