// Drafts in a view: those that its ghost or its user has chosen, where the user may.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import { parseDraft } from "../../domain/catalog/draft";
import type { Selection } from "../../domain/catalog/view";
import { type DraftRow, readChosenDrafts } from "../../storage/d1/registry/drafts";
import type { Context } from "../context";
import { entryOf } from "./catalog";

/**
 * The drafts that a selection names, under the names it has for them. A shared ghost chooses none: it would bring its author's to
 * everybody. Where an allow-list counts there are none, since nothing in it is a draft.
 */
export async function selectedDrafts(context: Context, selection: Selection, shell: string): Promise<CatalogEntry[]> {
  if (context.settings.SKILLS_ALLOWED.length > 0) return [];
  const chosen = [...(selection.shared === null ? selection.skills : []), ...selection.added];
  const names = chosen.map(({ name }) => name);
  return (await findDrafts(context, names, shell)).map(entryOf);
}

/** Those of these references that mean a draft which the caller may use; for every shell unless one is given. */
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
