// Skills found in a source, before they are validated.

import type { ClaimedSource } from "../../../src/domain/catalog/source";
import type { PackedFile } from "../folder";

export interface FoundSkill {
  name: string;
  files: Map<string, PackedFile>;
  /** The source in one line, for messages. */
  origin: string;
  /** The source in the format that a gateway stores, not yet validated. */
  source: ClaimedSource;
}

/** Limits for content from sources. */
export const BOUNDS = { bytes: 200 * 1024 * 1024, entries: 20_000, artifact: 32 * 1024 * 1024 } as const;
