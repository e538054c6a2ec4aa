// Lists a view's whole catalog page by page.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import { byCodePoint, byName, firstOfEach } from "../../domain/catalog/precedence";
import type { View } from "../../domain/catalog/view";
import { readCatalogAfter } from "../../storage/d1/catalog";
import type { Context } from "../context";
import { entryOf, findAllInView } from "./catalog";
import { scopesOf } from "./selection";

/** Returns the entries after a name, by name, and the name to continue after (`null` at the end). */
export async function catalogPage(
  context: Context,
  view: View,
  after: string | null,
  limit: number,
): Promise<{ entries: CatalogEntry[]; next: string | null }> {
  const { entries, total } = view.catalog;
  const isComplete = entries.length >= total;
  const isLeft = (name: string) => after === null || byCodePoint(name, after) > 0;
  if (isComplete) return cut(byName(entries.filter((entry) => isLeft(entry.name))), limit);
  const allowed = context.settings.SKILLS_ALLOWED.map((reference) => reference.name);
  const { all, skills, added } = view.selection;
  const names = all ? allowed : [...new Set([...skills, ...added].map((skill) => skill.name))];
  if (names.length > 0) {
    const wanted = names.filter(isLeft).sort(byCodePoint);
    const some = wanted.slice(0, limit);
    const found = await findAllInView(context, view, some);
    return { entries: byName(found), next: wanted.length > limit ? (some.at(-1) ?? null) : null };
  }
  const scopes = scopesOf(context, view.selection);
  const rows = await readCatalogAfter(context.db, scopes, view.shell, after ?? "", limit + 1);
  const page = cut(firstOfEach(rows, scopes).map(entryOf), limit);
  if (view.selection.skills.length === 0) return page;
  // A ghost with "all" skills can also name some; its version ranges for those apply.
  const found = await findAllInView(
    context,
    view,
    page.entries.map((entry) => entry.name),
  );
  return { entries: byName(found), next: page.next };
}

function cut(entries: CatalogEntry[], limit: number): { entries: CatalogEntry[]; next: string | null } {
  const page = entries.slice(0, limit);
  return { entries: page, next: entries.length > limit ? (page.at(-1)?.name ?? null) : null };
}
