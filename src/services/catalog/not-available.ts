// The answer to a name that the catalog does not have: what was meant perhaps, and which tool to call next.

import { listed } from "../../domain/catalog/catalog";
import { nearNames } from "../../domain/catalog/similar-names";
import type { View } from "../../domain/catalog/view";
import { TEXTS } from "../../domain/conversation/prompt";
import { failed, type ToolResult } from "../../domain/tool";
import { isIndexMissing } from "../../storage/d1/database";
import type { Context } from "../context";
import { searchInView } from "./catalog";

/** How many hits of a search for the name are looked at. */
const HITS = 10;

/**
 * Says that a skill is not available, and names those that are most like it.
 *
 * @param tool what to call with the right name
 */
export async function notAvailable(context: Context, view: View, name: string, tool: string): Promise<ToolResult> {
  const known = view.catalog.entries.filter((entry) => !entry.user_only).map((entry) => entry.name);
  const further = view.catalog.entries.length >= view.catalog.total ? [] : await namesLike(context, view, name);
  const isCut = listed(view.catalog, view.preload).more > 0;
  const near = nearNames(name, [...new Set([...known, ...further])]);
  return failed(TEXTS.notAvailable(name, { near, isCut, isEmpty: known.length === 0 && !isCut, tool }));
}

/** Names of skills beyond the view's own copy of the catalog. */
async function namesLike(context: Context, view: View, name: string): Promise<string[]> {
  try {
    const entries = await searchInView(context, view, name, { shown: HITS, most: HITS });
    return entries.map((entry) => entry.name);
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
    return [];
  }
}
