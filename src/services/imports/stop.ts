// Errors that end or delay a whole run, or concern one skill.

import type { ImportProblem, ImportState } from "../../domain/imports/import";
import { IMPORT_LIMITS } from "../../domain/imports/limits";
import { TarFault } from "../../domain/imports/tar";
import { faultIn, type UpstreamFault } from "../../upstream/fault";

/** The run cannot continue now. With state `waiting`, it continues after `delayMs`. */
export class ImportStop extends Error {
  override readonly name = "ImportStop";

  constructor(
    readonly state: Exclude<ImportState, "running" | "done" | "cancelled">,
    readonly problem: ImportProblem,
    readonly delayMs: number | null = null,
  ) {
    super(problem.message);
  }
}

/** A skill cannot be imported. `again`: a later attempt may succeed; `waitMs`: the delay the source asks for. */
export class ItemFault extends Error {
  override readonly name = "ItemFault";

  constructor(
    readonly problem: ImportProblem,
    readonly again = false,
    readonly waitMs: number | null = null,
  ) {
    super(problem.message);
  }
}

/** Returns a failure of the source as a problem; `null` for other errors. */
export function sourceProblem(
  error: unknown,
): { problem: ImportProblem; again: boolean; waitMs: number | null } | null {
  if (error instanceof TarFault)
    return { problem: { code: error.code, message: error.message }, again: false, waitMs: null };
  const fault = faultIn(error);
  return fault === null ? null : faultProblem(fault);
}

function faultProblem({ kind, message, status, retryAfter }: UpstreamFault) {
  const isBusy = status === 429 || status === 503;
  const again = isBusy || (status ?? 0) >= 500 || ["unreachable", "timeout", "closed"].includes(kind);
  const waitMs = isBusy && retryAfter !== null ? Math.min(retryAfter * 1_000, IMPORT_LIMITS.waitMostMs) : null;
  const words = message.replaceAll("the server", "the source").replace(/^its URL/, "the URL");
  const code = CODES[kind] ?? (status === 401 || status === 403 ? "SOURCE_DENIED" : "SOURCE_FAILED");
  const problem = { code, message: `${words.charAt(0).toUpperCase()}${words.slice(1)}.` };
  return { problem, again, waitMs };
}

const CODES: Partial<Record<UpstreamFault["kind"], string>> = {
  ...{ refused: "SOURCE_REFUSED", unreachable: "SOURCE_UNREACHABLE", timeout: "SOURCE_UNREACHABLE" },
  ...{ closed: "SOURCE_UNREACHABLE", cancelled: "SOURCE_UNREACHABLE", too_large: "SOURCE_TOO_LARGE" },
};
