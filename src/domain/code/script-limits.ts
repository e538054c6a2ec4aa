// Limits of scripts that apply to every executor. In bytes unless the name has another unit.

const MiB = 1024 * 1024;

/** File limits of a script. Each run has its own copy of the package, so the package never changes. */
export const SCRIPT_FILES = {
  /** Folders of a script: the package, the initial working directory, and two that start empty. */
  skill: "/skill",
  workspace: "/workspace",
  temporary: "/tmp",
  home: "/home/skill",
  /**
   * Limits on data beside the package's own files: bytes, and the number of files and folders. A script that exceeds them receives "no
   * space left on device".
   */
  bytes: 16 * MiB,
  entries: 4_000,
  /** Scripts of larger packages cannot run. */
  packageBytes: 8 * MiB,
  /** Input files. */
  inBytes: 4 * MiB,
  inFiles: 100,
  /** Limits on returned files: size of each, total size, and number. */
  outFileBytes: 8 * MiB,
  outBytes: 16 * MiB,
  outFiles: 20,
  /** Limit on the files that are listed. Some of the files that are not returned are listed by name. */
  toldFiles: 40,
  /** Limits on bytes included in the response, and on text shown to the model. */
  inlineBytes: 256 * 1024,
  shownTokens: 2_000,
  /** Minimum size with which a file counts against its user's quota. Empty files use a row too. */
  countedBytes: 4 * 1024,
} as const;

/** Reason why no script of a larger package runs. */
export const TOO_LARGE_TO_RUN = `Package too large to run scripts (limit ${SCRIPT_FILES.packageBytes / MiB} MiB).`;

/**
 * Concurrent isolates of skill code: for a conversation and for a request without one. The isolates they start in another language count
 * separately, and so do those that these start (for example `python3` in a provider's command). The platform allows 10 and 4, one of which
 * the compiler may need. Further requests wait in a queue.
 */
export const PARALLEL = {
  conversation: 4,
  request: 2,
  conversationParts: 4,
  requestParts: 1,
  innermost: 1,
  waiting: 8,
} as const;

/** Limits on the files that a part of a run returns: everything that a run can contain. */
export const PART_FILES = {
  outFileBytes: SCRIPT_FILES.bytes,
  outBytes: SCRIPT_FILES.bytes + SCRIPT_FILES.packageBytes,
  outFiles: SCRIPT_FILES.entries,
} as const;
