// Rebuilds the search index from the rows while the gateway serves.

import { reindexSkills } from "../../storage/d1/search";
import { requireAdmin } from "../admin";
import type { Context } from "../context";

/** Maximum number of skills per request, so that it ends well before the storage deadline. */
const PAGE = 200;

/** Writes the index of the next skills. Doing it twice, or by two at once, does no harm. */
export async function reindex(context: Context, after: number): Promise<{ indexed: number; next: number | null }> {
  requireAdmin(context.caller.principal);
  return reindexSkills(context.db, after, PAGE);
}
