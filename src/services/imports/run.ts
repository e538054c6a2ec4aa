// Runs an import slice by slice. Its state is in its row and in the object's plan, so it can be interrupted anywhere.

import { refusalIn } from "../../domain/errors";
import { type ImportProblem, isRunning } from "../../domain/imports/import";
import { IMPORT_LIMITS } from "../../domain/imports/limits";
import type { Planned } from "../../domain/imports/plan";
import { constraintOf } from "../../storage/d1/database";
import { type ImportRow, readImport, restartMirror, updateImport } from "../../storage/d1/imports/imports";
import { keepItems, markRemoved, storedItemsOf } from "../../storage/d1/imports/items";
import { dropImportArchives } from "../../storage/r2/import-archives";
import { importSlice } from "./import-slice";
import { importerOf } from "./importer";
import { pauseOrFail, type RunContext } from "./run-context";
import { planArchive } from "./sources/archive-source";
import { planIndex } from "./sources/index-source";
import { sourceAsker } from "./sources/source-client";
import { ImportStop, sourceProblem } from "./stop";

/** Time of the next alarm; `null`: nothing is left to do, and the object can delete its data. */
export type NextAlarm = number | null;

/** Continues an import for one alarm. */
export async function continueImport(runContext: RunContext): Promise<NextAlarm> {
  const row = await readImport(runContext.db, runContext.id);
  if (row === null) {
    await dropImportArchives(runContext.packages, runContext.timings, runContext.id);
    return null;
  }
  const now = runContext.now();
  if (!isRunning(row.state)) {
    if (!row.isMirror || row.nextAt === null) return null;
    if (row.nextAt <= now) await restartMirror(runContext.db, row, now);
    return Math.max(row.nextAt, now);
  }
  if (row.state === "waiting" && row.nextAt !== null && row.nextAt > now) return row.nextAt;
  try {
    return await oneSlice(runContext, row);
  } catch (error) {
    return ended(runContext, row, error);
  }
}

async function oneSlice(runContext: RunContext, row: ImportRow): Promise<NextAlarm> {
  const caller = await importerOf(runContext.places, row);
  if (caller === null) throw new ImportStop("stopped", NOT_ANY_MORE);
  const context = runContext.contextFor(caller);
  const asker = await sourceAsker(context, row.scope, row.source, runContext.signal);
  if (runContext.plan.state?.run !== row.run) {
    const { type } = row.source;
    const planned = type === "archive" ? planArchive(runContext, asker, row.source, row) : planIndex(asker, row.source);
    await begin(runContext, row, await planned);
  } else {
    const cursor = await importSlice(runContext, context, asker, row);
    await updateImport(runContext.db, row, { state: "running", problem: null, ...(cursor === null ? {} : { cursor }) });
  }
  return runContext.plan.isEmpty ? finish(runContext, row) : runContext.now();
}

/** Records unchanged skills without a slice, and plans the rest. */
async function begin({ plan, db }: RunContext, row: ImportRow, planned: readonly Planned[]): Promise<void> {
  const known = new Map((await storedItemsOf(db, row.id)).map((item) => [item.name, item]));
  const isSame = ({ name, digest }: Planned) => {
    const item = known.get(name);
    return digest !== null && item?.digest === digest && item.skillId !== null;
  };
  await keepItems(
    db,
    row,
    planned.filter(isSame).map(({ name }) => name),
  );
  await updateImport(db, row, { state: "running", problem: null, total: planned.length });
  plan.begin(
    row.run,
    planned.filter((one) => !isSame(one)),
  );
}

async function finish({ db, packages, timings, now }: RunContext, row: ImportRow): Promise<NextAlarm> {
  await markRemoved(db, row, now());
  await dropImportArchives(packages, timings, row.id);
  const nextAt = row.isMirror ? now() + IMPORT_LIMITS.mirrorMs : null;
  const isDone = await updateImport(db, row, { state: "done", problem: null, nextAt });
  // If the import was restarted or deleted meanwhile, the next alarm detects it.
  return isDone ? nextAt : now();
}

/** Ends or delays a run for a known reason. Rethrows other errors. */
async function ended(runContext: RunContext, row: ImportRow, error: unknown): Promise<NextAlarm> {
  const { db, now } = runContext;
  if (refusalIn(error)?.code === "unavailable") return now() + STORAGE_AGAIN_MS;
  // The import's row was deleted during the run.
  if (constraintOf(error) !== null && (await readImport(db, row.id)) === null) return now();
  const stop = error instanceof ImportStop ? error : stopFor(runContext, error);
  if (stop === null) throw error;
  const { state, problem } = stop;
  if (state === "waiting") {
    const until = now() + (stop.delayMs ?? IMPORT_LIMITS.waitMostMs);
    await updateImport(db, row, { state, problem, nextAt: until });
    return until;
  }
  const keeps = state === "failed" && row.isMirror;
  const nextAt = keeps ? now() + IMPORT_LIMITS.mirrorMs : null;
  await dropImportArchives(runContext.packages, runContext.timings, row.id);
  const isOver = await updateImport(db, row, { state, problem, nextAt, isMirror: keeps });
  return isOver ? nextAt : now();
}

/** Returns how a failing source affects the whole run: it pauses a few times. */
function stopFor({ plan }: RunContext, error: unknown): ImportStop | null {
  const source = sourceProblem(error);
  if (source === null) return null;
  const { problem, again, waitMs } = source;
  return again ? pauseOrFail(plan, problem, waitMs) : new ImportStop("failed", problem);
}

const STORAGE_AGAIN_MS = 30_000;

const NOT_ANY_MORE: ImportProblem = {
  code: "IMPORTER_ENDED",
  message:
    "The import stopped because its key, role or membership ended. Start it again with a key that has the right.",
};
