// The list of the catalog: search, categories and pages.

import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { type Html, html, plain, visibleText } from "../../edge/html";
import type { MonthlyLoads, OpenEntry } from "../../services/compat/catalog-pages";

/** What a URL of the list selects. */
export interface ListQuery {
  q: string;
  tag: string;
  page: number;
  sort: Sort;
}

/** The orders of a list without a search, with the names of their links. */
const SORTS = { name: "Name", rated: "Best rated", used: "Most used", updated: "Last updated" } as const;
type Sort = keyof typeof SORTS;
const isSort = (text: string): text is Sort => Object.hasOwn(SORTS, text);

/** A category: a tag, and how many open skills have it. */
interface Category {
  key: string;
  label: string;
  count: number;
}

const CARD_CHARS = 280;

/** Reads the query of a URL. Invalid values select what no value selects. */
export function readListQuery(params: URLSearchParams): ListQuery {
  const page = Number(params.get("page") ?? 1);
  const sort = params.get("sort") ?? "name";
  return {
    q: (params.get("q") ?? "").trim().slice(0, COMPAT_LIMITS.catalogQueryChars).toWellFormed(),
    tag: keyOf((params.get("tag") ?? "").slice(0, COMPAT_LIMITS.catalogQueryChars)),
    page: Number.isInteger(page) && page > 0 && page < 1_000 ? page : 1,
    sort: isSort(sort) ? sort : "name",
  };
}

/** Returns the path of a list. Equal lists have equal paths. */
export function listPath({ q = "", tag = "", page = 1, sort = "name" }: Partial<ListQuery>): string {
  const params = new URLSearchParams({
    ...(q === "" ? {} : { q }),
    ...(tag === "" ? {} : { tag }),
    ...(sort === "name" || q !== "" ? {} : { sort }),
    ...(page === 1 ? {} : { page: `${page}` }),
  });
  return params.size === 0 ? "/skills" : `/skills?${params}`;
}

/** The path of a skill's page. */
export const skillPath = (name: string): string => `/skills/${encodeURIComponent(name)}`;

/** The name that people see. */
export const entryTitle = ({ displayName, name }: Pick<OpenEntry, "displayName" | "name">): string =>
  displayName?.trim() || name;

/** Returns the unique name of a skill if its title differs, because two skills can have the same title; otherwise `null`. */
export const nameHtml = (entry: Pick<OpenEntry, "displayName" | "name">): Html | null =>
  entryTitle(entry) === entry.name ? null : html`<code>${plain(entry.name)}</code>`;

/** Tags that differ only in case are one category. */
function keyOf(tag: string): string {
  return tag.normalize("NFC").trim().toLowerCase().toWellFormed();
}

/** Returns the most frequent tags. */
function categoriesOf(entries: readonly OpenEntry[]): Category[] {
  const found = new Map<string, Category>();
  for (const { tags } of entries)
    for (const [key, label] of new Map(tags.map((tag) => [keyOf(tag), tag.trim()]))) {
      if (key === "" || key.length > COMPAT_LIMITS.catalogQueryChars) continue;
      const known = found.get(key);
      found.set(key, { key, label: known?.label ?? label, count: (known?.count ?? 0) + 1 });
    }
  return [...found.values()]
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
    .slice(0, COMPAT_LIMITS.catalogTags);
}

/**
 * Writes the list.
 * @param entries all open skills
 * @param found those that match the search, best first
 * @param loads of the last month
 */
export function listBody(
  entries: readonly OpenEntry[],
  found: readonly OpenEntry[],
  loads: MonthlyLoads,
  query: ListQuery,
): Html {
  const { q, tag, page } = query;
  const inTag = tag === "" ? found : found.filter(({ tags }) => tags.some((one) => keyOf(one) === tag));
  const chosen = q === "" ? sorted(inTag, loads, query.sort) : inTag;
  const first = (page - 1) * COMPAT_LIMITS.catalogPage;
  const shown = chosen.slice(first, first + COMPAT_LIMITS.catalogPage);
  const categories = categoriesOf(entries);
  return html`<h1>Skills</h1>
<form class="find" role="search" action="/skills">
<input type="search" name="q" value="${q}" maxlength="${COMPAT_LIMITS.catalogQueryChars}" aria-label="Search skills" placeholder="Search skills">
${tag === "" ? null : html`<input type="hidden" name="tag" value="${tag}">`}<button>Search</button>
</form>
${categories.length === 0 ? null : categoriesHtml(categories, query)}
<div class="line"><p class="soft small" role="status">${resultText(chosen.length, query)}</p>${q === "" && chosen.length > 1 ? sortsHtml(query) : null}</div>
${
  shown.length === 0
    ? emptyHtml(entries.length === 0, chosen.length > 0)
    : html`<ul class="grid">
${shown.map((entry) => cardHtml(entry, loads))}</ul>`
}
${pagesHtml(chosen.length, query)}`;
}

function categoriesHtml(categories: readonly Category[], { q, tag, sort }: ListQuery): Html {
  const link = (key: string, label: Html, count: Html | null) =>
    html`<li><a href="${listPath({ q, tag: key, sort })}"${key === tag ? html` aria-current="true"` : null}>${label}${count}</a></li>\n`;
  return html`<nav aria-label="Categories"><ul class="chips">
${link("", html`All`, null)}${categories.map(({ key, label, count }) =>
  link(key, plain(label), html` <span class="soft">${count}</span>`),
)}</ul></nav>`;
}

function resultText(count: number, { q, tag }: ListQuery): Html {
  const many = count === 1 ? "1 skill" : `${count} skills`;
  if (q === "" && tag === "") return html`${many}`;
  return html`${many}${q === "" ? null : html` for “${plain(q)}”`}${tag === "" ? null : html` in ${plain(tag)}`}`;
}

function emptyHtml(isEmpty: boolean, hasOtherPages: boolean): Html {
  if (isEmpty) return html`<p>This gateway has not shared any skills yet.</p>`;
  const all = html`<a href="/skills">Show all skills</a>`;
  return hasOtherPages ? html`<p>This page is empty. ${all}.</p>` : html`<p>No skill matches. ${all}.</p>`;
}

/** Orders entries that are sorted by name. The order is stable. */
function sorted(entries: readonly OpenEntry[], loads: MonthlyLoads, sort: Sort): readonly OpenEntry[] {
  if (sort === "name") return entries;
  const rankOf = {
    rated: ({ rating }: OpenEntry) => rating.score,
    used: ({ id }: OpenEntry) => loads.get(id) ?? 0,
    updated: ({ updatedAt }: OpenEntry) => updatedAt,
  }[sort];
  return entries.toSorted((a, b) => rankOf(b) - rankOf(a));
}

function sortsHtml(query: ListQuery): Html {
  const links = Object.entries(SORTS).map(([sort, label]) => {
    const to = listPath({ ...query, page: 1, ...(isSort(sort) ? { sort } : {}) });
    return html`<li><a href="${to}"${sort === query.sort ? html` aria-current="true"` : null}>${label}</a></li>\n`;
  });
  return html`<nav aria-label="Order"><ul class="chips orders">${links}</ul></nav>`;
}

/** Writes stars with their text, such as `★★★★☆ 4.2 (12)`. */
export function starsHtml({ average, count }: OpenEntry["rating"]): Html | null {
  if (average === null) return null;
  const full = Math.round(average);
  const label = `${average.toFixed(1)} of 5 stars, ${count === 1 ? "1 rating" : `${figure(count)} ratings`}`;
  return html`<span role="img" aria-label="${label}"><span class="stars">${"★".repeat(full)}${"☆".repeat(5 - full)}</span> ${average.toFixed(1)} (${figure(count)})</span>`;
}

/** Formats 12000 as `12,000`. */
export const figure = (count: number): string => count.toLocaleString("en");

function cardHtml(entry: OpenEntry, loads: MonthlyLoads): Html {
  const { name, description, label, number } = entry;
  const used = loads.get(entry.id);
  return html`<li class="card">
<h2><a href="${skillPath(name)}">${plain(entryTitle(entry))}</a></h2>
<p>${plain(shortText(description, CARD_CHARS))}</p>
<div class="facts">${nameHtml(entry)}${starsHtml(entry.rating)}${used === undefined ? null : html`<span>${figure(used)} loads a month</span>`}<span>Version ${plain(label ?? `${number}`)}</span></div>
</li>
`;
}

function pagesHtml(count: number, query: ListQuery): Html | null {
  const last = Math.max(1, Math.ceil(count / COMPAT_LIMITS.catalogPage));
  if (last === 1) return null;
  const { page } = query;
  const to = (next: number, label: string, rel: string) =>
    html`<a href="${listPath({ ...query, page: next })}" rel="${rel}">${label}</a>`;
  return html`<nav class="pages" aria-label="Pages">
${page > 1 ? to(Math.min(page - 1, last), "Previous page", "prev") : html`<span></span>`}
<span class="soft">Page ${page} of ${last}</span>
${page < last ? to(page + 1, "Next page", "next") : html`<span></span>`}
</nav>`;
}

/** Returns the beginning of a text in one line, with at most this number of characters. */
export function shortText(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** A description for search engines and link previews. */
export const metaText = (text: string): string => visibleText(shortText(text, CARD_CHARS));
