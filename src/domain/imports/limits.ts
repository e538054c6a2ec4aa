// Limits of imports.

import { PACKAGE_LIMITS } from "../limits";

const MiB = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const IMPORT_LIMITS = {
  /** Imports per scope; each stores the results for its source. */
  imports: 50,
  /** Skills per source. */
  skills: 5_000,
  /** Work per alarm: number of skills, and bytes of artifacts or unpacked skills. */
  sliceSkills: 40,
  sliceBytes: 32 * MiB,
  /** Bytes of unpacked skills, which are in memory together; a single one can be larger. */
  sliceUnpackedBytes: 16 * MiB,
  /** An index, and one artifact in it. */
  indexBytes: 8 * MiB,
  artifactBytes: PACKAGE_LIMITS.zipBytes,
  /** Files of one entry in an index that lists files. Each is downloaded separately. */
  listedFiles: 200,
  /** Size of a Git host's archive; a ZIP is read as a whole, a tar.gz as a stream. */
  archiveBytes: 64 * MiB,
  zipBytes: 32 * MiB,
  /** Unpacked size of a tar.gz, and number of its entries. */
  unpackedBytes: 512 * MiB,
  entries: 20_000,
  /** Timeouts for the start and the end of a response. */
  answerMs: 20_000,
  wholeMs: 2 * MINUTE_MS,
  /** Attempts per run for a skill that cannot be downloaded. */
  attempts: 3,
  /** After this many consecutive download failures the source is paused; number and length of pauses before giving up. */
  failuresInARow: 5,
  pausesMs: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS],
  /** Number of waits that a source can ask for, and minimum and maximum of each. */
  waits: 100,
  waitLeastMs: 1_000,
  waitMostMs: HOUR_MS,
  /** Time after which a slice counts as lost and the next one starts. */
  sliceMs: 5 * MINUTE_MS,
  /** Interval between the runs of a mirror. */
  mirrorMs: 24 * HOUR_MS,
  /** A running import without progress for this time is woken by the cron job. */
  lostMs: 15 * MINUTE_MS,
  /** Age after which an orphaned archive of a source is deleted. */
  archiveKeptMs: 24 * HOUR_MS,
  /** Characters shown of a skill's problem. */
  problemChars: 500,
} as const;
