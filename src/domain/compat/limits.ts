// How much the doors for clients that people already have take and show.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MiB = 1024 * 1024;
const DAY_MS = 24 * 60 * MINUTE_MS;

export const COMPAT_LIMITS = {
  /** On the open list. */
  openSkills: 1_000,
  /** In one index, by name: its clients read it whole, and most of them fetch all that it names. */
  indexedSkills: 2_000,
  /** Archives that one request makes of versions that have none yet, and how many of them beside each other. */
  archivesAtOnce: 120,
  archivesBeside: 3,
  /** Open archives that an isolate knows by digest, and for how long. */
  knownArchives: 2_000,
  knownForMs: MINUTE_MS,
  /** Live ones of a user, what one may name, and how long it lasts: by itself, and at most. */
  links: 50,
  linkedSkills: 50,
  linkMs: 90 * DAY_MS,
  linkMostMs: 366 * DAY_MS,
  /** Skills of one Agent Plugin, in and out, and what their packages may be together: all of it is in memory. */
  pluginSkills: 100,
  pluginBytes: 24 * 1_048_576,
  /** What a search answers at most. */
  found: 50,
  /** Files that are uploaded one by one: of one skill, and of a user within the time they are kept; each try takes them anew. */
  partsOfSkill: 500,
  parts: 2_000,
  partBytes: 64 * MiB,
  partsMs: HOUR_MS,
  /** Versions, the newest first, among which the files in a folder are looked for. */
  fingerprinted: 50,
} as const;
