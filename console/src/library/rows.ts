// Loads the skills that the user can use, page by page until all are loaded, and filters them.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Skill, SkillItem } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";

/** The largest page of the gateway, and the number of skills that are loaded at most. Others are found by search. */
const PAGE = 100;
export const MOST = 5_000;

export const CONTENTS = ["scripts", "tools", "servers", "network"] as const;
export type Content = (typeof CONTENTS)[number];

/** A skill as the list shows it, from the list or a search. */
export interface Row {
  id: string;
  name: string;
  /** `default`, `public` or `group:<name>`. */
  owner: string;
  description: string;
  version: string | null;
  updatedAt: string;
  /** The number of serious findings. */
  findings: number;
  tags: readonly string[];
  contents: readonly Content[];
}

/** The filters, as the address has them. */
export interface Filters {
  from?: string;
  has?: string;
  tag?: string;
  sort?: string;
}

export const allSkills = infiniteQueryOptions({
  queryKey: ["skills", "all"],
  initialPageParam: "",
  queryFn: async ({ pageParam, signal }) => {
    const query = { limit: PAGE, contents: true, ...(pageParam === "" ? {} : { cursor: pageParam }) };
    const { items, next } = await slice("skills.unified", { query }, signal);
    return { rows: items.map(ofItem), next };
  },
  getNextPageParam: ({ next }, pages) => (pages.length * PAGE >= MOST ? null : next),
  staleTime: 30_000,
});

/** The results of a search, best first, as a model's search ranks them. */
export const foundSkills = (q: string) =>
  queryOptions({
    queryKey: ["skills", "found", q],
    queryFn: async ({ signal }) => {
      const { items } = await slice("skills.list", { query: { q, limit: PAGE } }, signal);
      return items.map(ofSkill);
    },
  });

/** Whether a filter in `has` applies: a content of the package, or `findings`. */
const hasPart = (row: Row, part: string): boolean =>
  part === "findings" ? row.findings > 0 : row.contents.some((content) => content === part);

/** The parts of a list in the address. */
export const partsOf = (text = ""): readonly string[] => text.split(",").filter(Boolean);

export function filtered(rows: readonly Row[], { from, has, tag, sort }: Filters): readonly Row[] {
  const parts = partsOf(has);
  const kept = rows.filter(
    (row) =>
      (from === undefined || row.owner === from) &&
      (tag === undefined || row.tags.includes(tag)) &&
      parts.every((part) => hasPart(row, part)),
  );
  return sort === "updated" ? kept.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt)) : kept;
}

/** Returns how many of the rows have each part. */
export const countsOf = (rows: readonly Row[]): ReadonlyMap<string, number> =>
  new Map([...CONTENTS, "findings"].map((part) => [part, rows.filter((row) => hasPart(row, part)).length]));

/** Returns the most frequent tags, most frequent first. */
export function tagsOf(rows: readonly Row[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const tag of rows.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .sort(([a, n], [b, m]) => m - n || a.localeCompare(b))
    .slice(0, most)
    .map(([tag]) => tag);
}

const ownerOf = (namespace: string, isPublic: boolean): string =>
  isPublic ? "public" : namespace === "default" ? "default" : `group:${namespace}`;

const ofItem = (item: SkillItem): Row => ({
  ...{ id: item.id, name: item.name, description: item.description, version: item.version, tags: item.tags },
  owner: ownerOf(item.namespace, item.is_public),
  updatedAt: item.updated_at,
  findings: item.findings.high,
  contents: item.contents ?? [],
});

const ofSkill = ({ metadata, spec, status }: Skill): Row => ({
  id: metadata.labels.id,
  name: metadata.name,
  owner: ownerOf(metadata.namespace, metadata.labels.user_id === "0"),
  description: spec.description,
  version: spec.version ?? null,
  updatedAt: status.updated_at,
  findings: status.warnings.filter(({ severity }) => severity === "high").length,
  tags: spec.tags,
  contents: [],
});
