// Loads the skills that the user can use, page by page until all are loaded, and filters them.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Skill, SkillItem } from "../../../sdk/src/generated/operations";
import { call, slice } from "../gateway/call";

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
  isFailing?: boolean;
  isUnused?: boolean;
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

/** A skill fails if at least this share of this number of tool calls failed. */
export const [FAILING, CALLS] = [0.1, 5];
const USE_DAYS = 30;
const USED = 1_000;

/** How skills were used in the last 30 days, as far as the user can see it. */
export interface Use {
  failing: ReadonlySet<string>;
  used: ReadonlySet<string>;
  /** Whether more skills were used than are known. Then it is unknown which were not. */
  isCut: boolean;
}

export const useOfSkills = queryOptions({
  queryKey: ["usage", "skills"],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Use> => {
    const { top, skills } = await call("skills.usageOfAll", { query: { days: USE_DAYS, top: USED } }, signal);
    return {
      failing: new Set(top.flatMap((one) => (isFailing(one) ? [one.skill_id] : []))),
      used: new Set(top.flatMap(({ skill_id, loads }) => (loads > 0 ? [skill_id] : []))),
      isCut: skills > top.length,
    };
  },
});

export const isFailing = ({ calls, failures }: { calls: number; failures: number }): boolean =>
  calls >= CALLS && failures / calls >= FAILING;

/** Adds to the rows whether they fail, and whether they are unused. `measured`: the owners whose usage the user can see. */
export function withUse(rows: readonly Row[], use: Use | undefined, measured: ReadonlySet<string>): readonly Row[] {
  if (use === undefined) return rows;
  return rows.map((row) => {
    const isUnused = !use.isCut && measured.has(row.owner) && !use.used.has(row.id);
    return use.failing.has(row.id) || isUnused ? { ...row, isFailing: use.failing.has(row.id), isUnused } : row;
  });
}

/** Whether a filter in `has` applies: a content of the package, or a state of the skill. */
function hasPart(row: Row, part: string): boolean {
  if (part === "findings") return row.findings > 0;
  if (part === "failing") return row.isFailing === true;
  if (part === "unused") return row.isUnused === true;
  return row.contents.some((content) => content === part);
}

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
  new Map(
    [...CONTENTS, "findings", "failing", "unused"].map((part) => [
      part,
      rows.filter((row) => hasPart(row, part)).length,
    ]),
  );

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
