// The work of an import's alarm: one slice, then the next alarm.

import { IMPORT_LIMITS } from "../domain/imports/limits";
import { identityStoresOf, makeContext, newId, primaryDatabase } from "../edge/context";
import { logUnexpected } from "../edge/unexpected";
import { continueImport } from "../services/imports/run";
import { ImportPlan } from "../storage/object/import-plan";

/** Counts requests to continue the import. A request during a slice takes effect after it. */
export interface WakeCounter {
  woken: number;
}

export async function runImportAlarm(
  object: DurableObjectState,
  env: Env,
  bell: WakeCounter,
  signal: AbortSignal,
): Promise<void> {
  const { storage } = object;
  const plan = new ImportPlan(storage);
  const { id } = plan;
  if (id === null) return;
  // The next alarm is set first, so that it runs even if this slice fails.
  await storage.setAlarm(Date.now() + IMPORT_LIMITS.sliceMs);
  const { woken } = bell;
  const timings = { storage: 0 };
  const later = (work: Promise<void>) => object.waitUntil(work);
  let next: number | null = Date.now() + IMPORT_LIMITS.sliceMs;
  try {
    next = await continueImport({
      ...{ id, plan, timings, signal, db: primaryDatabase(env, timings), packages: env.PACKAGES },
      places: identityStoresOf(env, timings, later),
      contextFor: (caller) => makeContext(env, { later, caller: { ...caller, requestId: newId("imp") } }),
      now: () => Date.now(),
    });
  } catch (error) {
    if (!signal.aborted) logUnexpected(error, { where: "import" });
  }
  if (signal.aborted) return;
  if (bell.woken !== woken) next = Date.now();
  if (next !== null) await storage.setAlarm(next);
  else {
    await storage.deleteAlarm();
    await storage.deleteAll();
  }
}
