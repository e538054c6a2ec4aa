// Limits of a Python interpreter in its isolate of 128 MB.

const MiB = 1024 * 1024;

export const PYTHON_LIMITS = {
  /** About 30 MiB are in use after the start. Above the limit Python raises MemoryError. */
  heapBytes: 64 * MiB,
  /** An interpreter that has grown beyond this is not reused, because it never frees memory. */
  spentBytes: 40 * MiB,
} as const;
