// What whoever calls a tool of a server may want beside its result.

import type { WholeResult } from "../domain/servers/result";

/** What a tool says of how far it is. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Is given the whole of a result of which something is left out. */
  onCut?: (whole: WholeResult) => void;
  /** What the tool is called where it is offered; its own name otherwise. */
  shown?: string;
}
