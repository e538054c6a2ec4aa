// Finds the drafts that a ghost or user selects, if the user has access.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import { parseDraft } from "../../domain/catalog/draft";
import type { Selection } from "../../domain/catalog/view";
import { type DraftRow, readChosenDrafts } from "../../storage/d1/registry/drafts";
import type { Context } from "../context";
import { entryOf } from "./catalog";

/**
 * Returns the selected drafts, under the names that select them. A shared ghost selects none, because it would give its author's drafts to
 * everybody. With an allow-list there are none, because it cannot contain drafts.
 */
export async function selectedDrafts(context: Context, selection: Selection, shell: string): Promise<CatalogEntry[]> {
  if (context.settings.SKILLS_ALLOWED.length > 0) return [];
  const chosen = [...(selection.shared === null ? selection.skills : []), ...selection.added];
  const names = chosen.map(({ name }) => name);
  return (await findDrafts(context, names, shell)).map(entryOf);
}

/** Returns the drafts among these references that the caller can use, optionally for one shell. */
export async function findDrafts(
  context: Context,
  references: readonly string[],
  shell: string | null = null,
): Promise<DraftRow[]> {
  const { userId } = context.caller.principal;
  const places = [...new Set(references)].flatMap((reference) => {
    const place = parseDraft(reference, userId);
    return place === null ? [] : [{ reference, ...place }];
  });
  return places.length === 0 ? [] : readChosenDrafts(context.db, userId, places, { shell, now: context.now() });
}
