// The context of an import run, and how it is delayed.

import type { ImportProblem } from "../../domain/imports/import";
import { IMPORT_LIMITS } from "../../domain/imports/limits";
import type { Database, Timings } from "../../storage/d1/database";
import type { ImportPlan } from "../../storage/object/import-plan";
import type { IdentityStores } from "../access/identity-lookup";
import type { Caller, Context } from "../context";
import { ImportStop } from "./stop";

/** The context of an import run. */
export interface RunContext {
  id: string;
  plan: ImportPlan;
  db: Database;
  packages: R2Bucket;
  timings: Timings;
  places: IdentityStores;
  /** Returns a context for the identity that the import runs with. */
  contextFor(caller: Omit<Caller, "requestId">): Context;
  /** Aborted when the import is deleted. */
  signal: AbortSignal;
  now(): number;
}

/** Returns a pause, or a failure after the maximum number of pauses: with our own delays, or with the delays the source asks for. */
export function pauseOrFail(plan: ImportPlan, problem: ImportProblem, waitMs: number | null): ImportStop {
  const kind = waitMs === null ? "pauses" : "waits";
  const times = plan.delays[kind];
  const delay = waitMs ?? IMPORT_LIMITS.pausesMs[times];
  if (delay === undefined || times >= IMPORT_LIMITS.waits) return new ImportStop("failed", problem);
  plan.delays = { ...plan.delays, [kind]: times + 1 };
  return new ImportStop("waiting", problem, Math.max(delay, IMPORT_LIMITS.waitLeastMs));
}
