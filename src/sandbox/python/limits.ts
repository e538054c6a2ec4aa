// What a Python interpreter may take of its isolate's 128 MB.

const MiB = 1024 * 1024;

export const PYTHON_LIMITS = {
  /** Some 30 MiB of it are taken when it has started. Beyond it Python says MemoryError. */
  heapBytes: 64 * MiB,
  /** An interpreter that has grown beyond this is not used again: it never gives memory back. */
  spentBytes: 40 * MiB,
} as const;
