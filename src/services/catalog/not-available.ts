// Answers for a name that the catalog does not have: similar names, and the tool to call next.

import { listed } from "../../domain/catalog/catalog";
import { nearNames } from "../../domain/catalog/similar-names";
import type { View } from "../../domain/catalog/view";
import { TEXTS } from "../../domain/conversation/prompt";
import { failed, type ToolResult } from "../../domain/tool";
import { isIndexMissing } from "../../storage/d1/database";
import type { Context } from "../context";
import { searchInView } from "./catalog";

/** Number of search hits considered for similar names. */
const HITS = 10;

/**
 * Reports that a skill is not available, with the most similar names.
 *
 * @param tool the tool to call with the correct name
 */
export async function notAvailable(context: Context, view: View, name: string, tool: string): Promise<ToolResult> {
  const known = view.catalog.entries.filter((entry) => !entry.user_only).map((entry) => entry.name);
  const further = view.catalog.entries.length >= view.catalog.total ? [] : await namesLike(context, view, name);
  const isCut = listed(view.catalog, view.preload).more > 0;
  const near = nearNames(name, [...new Set([...known, ...further])]);
  return failed(TEXTS.notAvailable(name, { near, isCut, isEmpty: known.length === 0 && !isCut, tool }));
}

/** Returns similar names outside of the view's part of the catalog. */
async function namesLike(context: Context, view: View, name: string): Promise<string[]> {
  try {
    const entries = await searchInView(context, view, name, { shown: HITS, most: HITS });
    return entries.map((entry) => entry.name);
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
    return [];
  }
}
