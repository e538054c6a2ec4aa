// How much an import takes, and how fast.

import { PACKAGE_LIMITS } from "../limits";

const MiB = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const IMPORT_LIMITS = {
  /** Imports of one scope; each remembers what came from its source. */
  imports: 50,
  /** Skills of one source. */
  skills: 5_000,
  /** What one alarm of an import's object takes: skills, and bytes of artifacts or of unpacked skills. */
  sliceSkills: 40,
  sliceBytes: 32 * MiB,
  /** The same of unpacked skills, which are in memory together; a single one may be larger. */
  sliceUnpackedBytes: 16 * MiB,
  /** An index, and one artifact that it names. */
  indexBytes: 8 * MiB,
  artifactBytes: PACKAGE_LIMITS.zipBytes,
  /** Files of one entry in an index that lists them, each of which is fetched. */
  listedFiles: 200,
  /** A Git host's archive as it comes; a ZIP is read whole, a tar.gz as a stream. */
  archiveBytes: 64 * MiB,
  zipBytes: 32 * MiB,
  /** What a tar.gz may unpack to, and what it may hold. */
  unpackedBytes: 512 * MiB,
  entries: 20_000,
  /** How long a source may take to begin an answer, and to end it. */
  answerMs: 20_000,
  wholeMs: 2 * MINUTE_MS,
  /** A skill that could not be fetched is tried so often in a run. */
  attempts: 3,
  /** So many in a row that could not be fetched: the source is left alone for a while, so often and so long, and then given up. */
  failuresInARow: 5,
  pausesMs: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS],
  /** How often a source is waited for at its own word, and how long at least and at most. */
  waits: 100,
  waitLeastMs: 1_000,
  waitMostMs: HOUR_MS,
  /** After this a slice counts as lost, and the next one begins. */
  sliceMs: 5 * MINUTE_MS,
  /** Between the runs of a mirror. */
  mirrorMs: 24 * HOUR_MS,
  /** A running import that nobody heard of for so long is woken by the cron. */
  lostMs: 15 * MINUTE_MS,
  /** A source's archive that was left behind ends after this. */
  archiveKeptMs: 24 * HOUR_MS,
  /** What is told of what is wrong with one skill. */
  problemChars: 500,
} as const;
