// Skills that were found somewhere else, before anybody has looked at them.

import type { ClaimedSource } from "../../../src/domain/catalog/source";
import type { PackedFile } from "../folder";

export interface FoundSkill {
  name: string;
  files: Map<string, PackedFile>;
  /** Where it comes from, in a line. */
  origin: string;
  /** The same as a gateway keeps it, before anybody has looked whether it may. */
  source: ClaimedSource;
}

/** Bounds of what is taken from elsewhere. */
export const BOUNDS = { bytes: 200 * 1024 * 1024, entries: 20_000, artifact: 32 * 1024 * 1024 } as const;
