// Lists, deletes and expires drafts. `draft-push.ts` pushes and promotes them.

import { GatewayError } from "../../domain/errors";
import { DRAFT_LIMITS } from "../../domain/limits";
import { foldName } from "../../domain/package/path";
import {
  type DraftSummary,
  deleteDrafts,
  expiredDrafts,
  listDrafts,
  readDraftOf,
  readOwnDraft,
} from "../../storage/d1/registry/drafts";
import { deletePackages, packageKeys } from "../../storage/r2/packages";
import { audited } from "../audit";
import type { Context } from "../context";
import { skillNotFound } from "./skills";
import type { SweepContext } from "./sweep";

/** Returns the caller's drafts, and drafts of others that name the caller. */
export function readDrafts(context: Context): Promise<{ own: DraftSummary[]; others: DraftSummary[] }> {
  return listDrafts(context.db, context.caller.principal.userId, context.now(), DRAFT_LIMITS.listed);
}

/** Deletes the caller's draft. Conversations lose it at their next step. */
export async function deleteDraft(context: Context, name: string): Promise<void> {
  await end(context, await findOwnDraft(context, name));
}

/** Deletes any user's draft. The caller's rights are checked before. */
export async function deleteAnyDraft(context: Context, skillId: string): Promise<void> {
  const draft = await readDraftOf(context.db, skillId);
  if (draft === null) throw skillNotFound();
  await end(context, draft);
}

/** Deletes all drafts of a user. The caller's rights are checked before. */
export async function deleteDraftsOf(context: Context, author: string): Promise<void> {
  const { own } = await listDrafts(context.db, author, 0, 0);
  await deleteDrafts(context.db, own);
  await deletePackageObjects(context, own);
}

/** Deletes expired drafts. Returns their number. */
export async function sweepDrafts(context: SweepContext): Promise<number> {
  let deleted = 0;
  for (;;) {
    const over = await expiredDrafts(context.db, context.now(), SWEPT_AT_ONCE);
    if (over.length === 0) return deleted;
    await deleteDrafts(context.db, over);
    await deletePackageObjects(context, over);
    deleted += over.length;
  }
}

const SWEPT_AT_ONCE = 50;

/** Returns the caller's draft with this name. */
export async function findOwnDraft(context: Context, name: string): Promise<DraftSummary> {
  const wanted = name.normalize("NFC");
  const { draft } = await readOwnDraft(context.db, context.caller.principal.userId, foldName(wanted));
  if (draft?.name !== wanted || draft.expiresAt <= context.now()) throw draftNotFound();
  return draft;
}

async function end(context: Context, draft: DraftSummary): Promise<void> {
  const before = { name: draft.name, target: draft.target, version_id: draft.versionId };
  await deleteDrafts(audited(context, "skill.draft.delete", draft.id, { before, when: "was" }), [draft]);
  await deletePackageObjects(context, [draft]);
}

/** Deletes objects whose rows are deleted. A failure is logged by `guarded`, and the sweep deletes the rest. */
export async function deletePackageObjects(
  { packages, timings }: Pick<Context, "packages" | "timings">,
  gone: readonly Pick<DraftSummary, "versionId">[],
): Promise<void> {
  try {
    await deletePackages(
      packages,
      timings,
      gone.flatMap(({ versionId }) => packageKeys(versionId)),
    );
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

export function draftNotFound(): GatewayError {
  return new GatewayError("not_found", "DRAFT_NOT_FOUND", "Draft not found. Check the name.");
}
