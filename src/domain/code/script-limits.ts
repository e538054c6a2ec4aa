// Limits of scripts that hold whatever runs them. Bytes unless the name says otherwise.

const MiB = 1024 * 1024;

/** What a script has for files. Its copy of the package is its own, and the package never changes. */
export const SCRIPT_FILES = {
  /** Its own package, where it begins, and what is empty. */
  skill: "/skill",
  workspace: "/workspace",
  temporary: "/tmp",
  home: "/home/skill",
  /** What it may hold beside the package's own files: bytes, and files and folders. Then there is no space left on the device. */
  bytes: 16 * MiB,
  entries: 4_000,
  /** Of a larger package no script runs. */
  packageBytes: 8 * MiB,
  /** What is given to it. */
  inBytes: 4 * MiB,
  inFiles: 100,
  /** What is taken out of what it wrote: each file, all of them, and how many. */
  outFileBytes: 8 * MiB,
  outBytes: 16 * MiB,
  outFiles: 20,
  /** Of how many it is told at all: of those that are not taken out some are named. */
  toldFiles: 40,
  /** What of them comes along with the answer, and what of their texts a model is shown. */
  inlineBytes: 256 * 1024,
  shownTokens: 2_000,
  /** A file counts as at least so much against its user's room: empty ones are rows, too. */
  countedBytes: 4 * 1024,
} as const;

/** Why no script of a package runs that is larger. */
export const TOO_LARGE_TO_RUN = `Package too large to run scripts (limit ${SCRIPT_FILES.packageBytes / MiB} MiB).`;

/**
 * Isolates of skill code in flight at once, of a conversation and of a request without one, beside them of what they ask for in another
 * language, and of what that asks for: `python3` in a command of a provider. The platform allows 10 and 4, of which a compiler may
 * need one. What comes when all are taken waits in a queue.
 */
export const PARALLEL = {
  conversation: 4,
  request: 2,
  conversationParts: 4,
  requestParts: 1,
  innermost: 1,
  waiting: 8,
} as const;

/** What a part of a run hands back: all that a run may hold. */
export const PART_FILES = {
  outFileBytes: SCRIPT_FILES.bytes,
  outBytes: SCRIPT_FILES.bytes + SCRIPT_FILES.packageBytes,
  outFiles: SCRIPT_FILES.entries,
} as const;
