// Skills that were found somewhere else, before anybody has looked at them.

import type { PackedFile } from "../folder";

export interface FoundSkill {
  name: string;
  files: Map<string, PackedFile>;
  /** Where it comes from, in a line. */
  origin: string;
}

/** Bounds of what is taken from elsewhere. */
export const BOUNDS = { bytes: 200 * 1024 * 1024, entries: 20_000, artifact: 32 * 1024 * 1024 } as const;
