// Enforces reviews: what a scope requires of new and of activated versions.

import { groupOfScope } from "../../domain/access/access";
import { GatewayError } from "../../domain/errors";
import { reviewPolicyOf } from "../../domain/review/review";
import type { ReviewPolicy } from "../../domain/settings/settings";
import { reviewEvent, skillEvent } from "../../domain/webhooks/webhooks";
import { constraintOf, type Database } from "../../storage/d1/database";
import { activateVersion } from "../../storage/d1/registry/publishing";
import {
  APPROVAL_CONSTRAINT,
  type Approval,
  approving,
  readGroupReview,
  readVersionReview,
} from "../../storage/d1/review/approval";
import { readSkillAt, type SkillRecord } from "../../storage/d1/skills";
import { audited } from "../audit";
import type { Context } from "../context";

/** Throws if new versions in the scope require a review. */
export function requireNoReview(settings: Context["settings"], scope: string, ofGroup: ReviewPolicy | null): void {
  if (reviewPolicyOf(settings, scope, ofGroup) === "required") throw reviewRequired(scope);
}

/** Whether only reviewed versions of the scope can become current. Reads the group's choice if the settings do not decide. */
export async function isReviewRequired({ db, settings }: Context, scope: string): Promise<boolean> {
  const group = groupOfScope(scope);
  const isBound = group === null || settings.REVIEW_GROUPS === "required";
  return reviewPolicyOf(settings, scope, isBound ? null : await readGroupReview(db, group)) === "required";
}

/** Throws if no review approved a version that becomes current in a scope with required reviews. */
export async function requireReviewed({ db }: Context, scope: string, versionId: string): Promise<void> {
  if ((await readVersionReview(db, versionId)) === null) throw reviewRequired(scope);
}

/** Returns a database whose next batch also approves a submission, with its record in the log and its event. */
export function approvalRecorded(context: Context, approval: Approval, versionId: string): Database {
  const { review, reviewers, event } = approval;
  const after = { version_id: versionId, zip_sha256: review.zipSha256 };
  return audited(
    { ...context, db: approving(context.db, approval, versionId) },
    reviewers === 0 ? "review.bypass" : "review.approve",
    review.id,
    {
      after: reviewers === 0 ? { ...after, reason: event.comment } : after,
      event: reviewEvent("review.decided", review, "approved"),
      when: { review: review.id, zipSha256: review.zipSha256, state: "approved" },
    },
  );
}

/** Approves content that an existing version has, and makes this version current. */
export async function activateReviewed(context: Context, approval: Approval, versionId: string): Promise<SkillRecord> {
  const version = await readSkillAt(context.db, versionId);
  if (version === null || version.zipSha256 !== approval.review.zipSha256) throw approvalOutdated();
  const event = skillEvent("skill.activated", version, { id: version.versionId, label: version.label });
  const recorded = audited(
    { ...context, db: approvalRecorded(context, approval, versionId) },
    "skill.activate",
    version.id,
    {
      before: { version_id: version.currentId },
      after: { version_id: versionId, review: approval.review.id },
      event,
    },
  );
  try {
    const active = await activateVersion(recorded, version);
    if (active === null) throw approvalOutdated();
    return active;
  } catch (error) {
    if (APPROVAL_CONSTRAINT.test(constraintOf(error) ?? "")) throw approvalOutdated();
    throw error;
  }
}

/** The error for an approval whose submission or skill changed meanwhile. `services/review/decide.ts` says which. */
export function approvalOutdated(): GatewayError {
  return new GatewayError(
    "conflict",
    "REVIEW_OUTDATED",
    "The submission or the skill changed meanwhile. Read the submission again.",
  );
}

function reviewRequired(scope: string): GatewayError {
  const group = groupOfScope(scope);
  const where = group === null ? "Public skills" : `Skills of the group '${group}'`;
  const message = `${where} are published after a review. Push a draft and submit it: \`skillgate submit\`, or \`POST /api/v1/reviews\`.`;
  return new GatewayError("forbidden", "REVIEW_REQUIRED", message, { scope });
}
