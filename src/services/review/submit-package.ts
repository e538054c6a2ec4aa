// Submits packages that no person uploaded, such as those of imports: as a draft of the user who started the import.

import { DEFAULT_NAMESPACE, groupOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import { GatewayError } from "../../domain/errors";
import { foldName } from "../../domain/package/path";
import { readOwnDraft } from "../../storage/d1/registry/drafts";
import { hasRejected, hasReviewOf, type ReviewRow } from "../../storage/d1/review/reviews";
import type { Context } from "../context";
import { pushDraft } from "../registry/draft-push";
import { submitDraft } from "./submit";

/**
 * Submits a package to a scope. Never replaces a draft that was not submitted to this scope, and does not submit content again that a
 * reviewer has rejected.
 */
export async function submitPackage(
  context: Context,
  { name, upload, scope }: { name: string; upload: Uint8Array; scope: string },
): Promise<ReviewRow> {
  const { userId } = context.caller.principal;
  const { draft: before } = await readOwnDraft(context.db, userId, foldName(name));
  if (before !== null && !(await hasReviewOf(context.db, userId, before.id, scope))) {
    const message = `You have a draft '${name}' that was not submitted here. Submit, publish or delete it first.`;
    throw new GatewayError("conflict", "DRAFT_EXISTS", message);
  }
  const { draft } = await pushDraft(context, {
    ...{ name, upload, fileName: undefined },
    ...{ namespace: DEFAULT_NAMESPACE, isPublic: false, users: [] },
  });
  if (await hasRejected(context.db, { userId, scope, name, zipSha256: draft.zipSha256 })) {
    const message = "A reviewer rejected this content. It is submitted again when its source changes.";
    throw new GatewayError("conflict", "REVIEW_REJECTED", message);
  }
  const namespace = groupOfScope(scope) ?? DEFAULT_NAMESPACE;
  const asked = { draft: draft.name, namespace, isPublic: scope === PUBLIC_SCOPE, comment: null };
  return (await submitDraft(context, asked)).review;
}
