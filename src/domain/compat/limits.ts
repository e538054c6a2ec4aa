// Limits for clients of other registries.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MiB = 1024 * 1024;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const COMPAT_LIMITS = {
  /** Skills on the open list. */
  openSkills: 1_000,
  /** Skills in one index, by name. Clients read the whole index, and most of them download every skill. */
  indexedSkills: 2_000,
  /** Archives that one request creates, and how many in parallel. */
  archivesAtOnce: 120,
  archivesBeside: 3,
  /** Open archives cached by digest in an isolate, and the cache lifetime. */
  knownArchives: 2_000,
  knownForMs: MINUTE_MS,
  /** Read-only links: live ones per user, skills per link, and lifetime (default and maximum). */
  links: 50,
  linkedSkills: 50,
  linkMs: 90 * DAY_MS,
  linkMostMs: 366 * DAY_MS,
  /** Skills per Agent Plugin, and their total package size, because all are in memory. */
  pluginSkills: 100,
  pluginBytes: 24 * 1_048_576,
  /** Search results. */
  found: 50,
  /** Catalog pages: characters of a search, its results, skills per page, categories, and listed versions. */
  catalogQueryChars: 200,
  catalogFound: 240,
  catalogPage: 24,
  catalogTags: 24,
  catalogVersions: 20,
  catalogReviews: 20,
  /** Loads below this number are not shown, because they could tell who uses a skill. */
  catalogLeastLoads: 10,
  /** Characters of instructions that a catalog page shows, characters of all link targets in them, and listed files. */
  catalogTextChars: 65_536,
  catalogLinkChars: 32_768,
  catalogFiles: 200,
  /** Catalog pages cached in an isolate, and for how long. */
  catalogPages: 48,
  catalogMs: 30_000,
  catalogLoadsMs: HOUR_MS,
  /** Files uploaded one by one: per skill, and per user within their lifetime; each attempt uploads them again. */
  partsOfSkill: 500,
  parts: 2_000,
  partBytes: 64 * MiB,
  partsMs: HOUR_MS,
  /** Newest versions among which the files of a folder are searched. */
  fingerprinted: 50,
} as const;
