// Serves public skills to Wegent's front ends as the one provider of a skill market.

import { NO_RATINGS, ratingSummary } from "../../domain/catalog/rating";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import type { PublishedSkillRow } from "../../storage/d1/compat/published-index";
import { readRatingSums } from "../../storage/d1/registry/ratings";
import { readVersionPackage } from "../../storage/d1/versions";
import { openPackageRange } from "../../storage/r2/packages";
import { readMonthlyLoads } from "./catalog-pages";
import { readOffered, searchIndex, type Viewer } from "./published-index";

/** A page of the market: skills with the loads that are shown. */
export interface MarketPage {
  total: number;
  rows: { row: PublishedSkillRow; loads: number }[];
}

export interface MarketQuery {
  keyword: string;
  tags: readonly string[];
  page: number;
  pageSize: number;
}

const unlessBlocked = ({ isBlocked }: PublishedSkillRow) =>
  isBlocked ? [{ code: "VERSION_BLOCKED", message: "An admin blocked the current version." }] : [];

/** Returns a page of the market: search results, best first; without a keyword all skills, best rated first. */
export async function readMarket(viewer: Viewer, query: MarketQuery, now: number): Promise<MarketPage> {
  const found =
    query.keyword === ""
      ? await byScore(viewer, await readOffered(viewer, { limit: COMPAT_LIMITS.indexedSkills }, unlessBlocked))
      : await searchIndex(viewer, query.keyword, COMPAT_LIMITS.found, unlessBlocked);
  const isTagged = ({ tags }: PublishedSkillRow) =>
    query.tags.every((tag) => tags.some((one) => one.toLowerCase() === tag.toLowerCase()));
  const chosen = found.filter(isTagged);
  const first = (query.page - 1) * query.pageSize;
  const shown = chosen.slice(first, first + query.pageSize);
  const loads = await readMonthlyLoads(viewer, shown, now);
  return { total: chosen.length, rows: shown.map((row) => ({ row, loads: loads.get(row.id) ?? 0 })) };
}

async function byScore(viewer: Viewer, rows: readonly PublishedSkillRow[]): Promise<readonly PublishedSkillRow[]> {
  const ids = rows.map(({ id }) => id);
  const sums = await readRatingSums(viewer.db, ids);
  const scoreOf = ({ id }: PublishedSkillRow) => ratingSummary(sums.get(id) ?? NO_RATINGS).score;
  return rows.toSorted((a, b) => scoreOf(b) - scoreOf(a));
}

/** Opens the package of a skill of the market; `null` if the market has no such skill. */
export async function openMarketSkill(
  viewer: Viewer,
  name: string,
): Promise<{ id: string; versionId: string; name: string; size: number; body: ReadableStream } | null> {
  const [row] = await readOffered(viewer, { name: name.normalize("NFC"), limit: 1 }, unlessBlocked);
  const found = row === undefined ? null : await readVersionPackage(viewer.db, row.id, row.versionId);
  if (row === undefined || found === null) return null;
  const { versionId, name: written, zipSize: size } = found;
  const body = await openPackageRange(viewer.packages, viewer.timings, versionId, 0, size);
  return body === null ? null : { id: row.id, versionId, name: written, size, body };
}
