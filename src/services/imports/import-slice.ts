// Imports a slice of the plan, limited by number and bytes. Each result is stored before the next skill is downloaded.

import { sha256Hex } from "../../domain/digest";
import { IMPORT_LIMITS } from "../../domain/imports/limits";
import type { Planned } from "../../domain/imports/plan";
import { writeZip } from "../../domain/package/canonical";
import type { ImportRow } from "../../storage/d1/imports/imports";
import { findExistingNames, putItem } from "../../storage/d1/imports/items";
import type { PlannedRow } from "../../storage/object/import-plan";
import { importArchiveKey } from "../../storage/r2/import-archives";
import type { Context } from "../context";
import { importSkill } from "./import-skill";
import { pauseOrFail, type RunContext } from "./run-context";
import { filesOfRoots } from "./sources/archive-source";
import { fetchArtifact, fetchFiles } from "./sources/index-source";
import type { SourceAsker } from "./sources/source-client";
import { ItemFault } from "./stop";

/** Imports the next slice of the plan. Returns the name of its last skill; `null` if nothing was left. */
export async function importSlice(
  runContext: RunContext,
  context: Context,
  asker: SourceAsker,
  row: ImportRow,
): Promise<string | null> {
  const { plan, db } = runContext;
  const rows = bounded(plan.next(IMPORT_LIMITS.sliceSkills));
  const met = await findExistingNames(
    db,
    row,
    rows.map(({ planned }) => planned.name),
  );
  const archive = await openedArchive(runContext, row, rows);
  let last: string | null = null;
  let bytes = 0;
  let failures = 0;
  for (const one of rows) {
    if (bytes + IMPORT_LIMITS.artifactBytes > IMPORT_LIMITS.sliceBytes) break;
    const { planned } = one;
    // The result was stored before the object was interrupted.
    const isDone = met.items.get(planned.name)?.run === row.run;
    const upload = async () => {
      const found = await uploadOf(asker, planned, archive);
      bytes += found.bytes.length;
      return found;
    };
    try {
      const item = isDone ? null : await importSkill(context, row, met, { ...planned, upload });
      // The import was cancelled meanwhile. The resulting error is not a result of the skill.
      if (runContext.signal.aborted) return last;
      if (item?.problem != null) item.problem = { ...item.problem, message: asker.redact(item.problem.message) };
      if (item !== null) await putItem(db, row, item);
      plan.drop(one.seq);
      last = planned.name;
      failures = 0;
    } catch (error) {
      if (!(error instanceof ItemFault) || runContext.signal.aborted) throw error;
      failures += 1;
      await tryLater(runContext, row, one, error);
      if (failures >= IMPORT_LIMITS.failuresInARow || error.waitMs !== null)
        throw pauseOrFail(plan, error.problem, error.waitMs);
    }
  }
  return last;
}

/** The skills that fit into memory together. */
function bounded(rows: readonly PlannedRow[]): PlannedRow[] {
  let room: number = IMPORT_LIMITS.sliceUnpackedBytes;
  const end = rows.findIndex(({ planned: { get } }, index) => {
    room -= get.how === "archive" ? get.bytes : 0;
    return room < 0 && index > 0;
  });
  return rows.slice(0, end < 0 ? rows.length : end);
}

type Opened = Awaited<ReturnType<typeof filesOfRoots>>;

/** Returns the files of these skills from the archive; nothing if none is in one. */
async function openedArchive(runContext: RunContext, row: ImportRow, rows: readonly PlannedRow[]): Promise<Opened> {
  const roots = new Set(rows.flatMap(({ planned: { get } }) => (get.how === "archive" ? [get.root] : [])));
  if (roots.size === 0) return new Map();
  return filesOfRoots(runContext, importArchiveKey(row.id, row.run), row.source.path ?? "", roots);
}

async function uploadOf(
  asker: SourceAsker,
  planned: Planned,
  archive: Opened,
): Promise<{ bytes: Uint8Array; digest: string }> {
  const { get, digest } = planned;
  if (get.how === "none") throw new ItemFault(get.problem);
  if (get.how === "archive") {
    const items = archive.get(get.root)?.flatMap(({ path, item }) => item?.(path) ?? []) ?? [];
    // Released as soon as possible.
    archive.delete(get.root);
    return { bytes: writeZip(items).zip, digest: digest ?? "" };
  }
  const bytes = get.how === "files" ? await fetchFiles(asker, get) : await fetchArtifact(asker, planned, get);
  return { bytes, digest: digest ?? `sha256:${await sha256Hex(bytes)}` };
}

/** Retries a skill after the others, or records after several attempts that it is unavailable. */
async function tryLater(
  { db, plan }: RunContext,
  row: ImportRow,
  one: PlannedRow,
  { problem }: ItemFault,
): Promise<void> {
  if (one.attempts + 1 < IMPORT_LIMITS.attempts) return plan.postpone(one);
  const { name } = one.planned;
  const known = (await findExistingNames(db, row, [name])).items.get(name);
  const { digest = null, skillId = null, versionId = null } = known ?? {};
  await putItem(db, row, { name, state: "failed", problem, digest, skillId, versionId });
  plan.drop(one.seq);
}
