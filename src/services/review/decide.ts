// Decides submissions, and comments on them. Approval publishes and activates exactly the content that was reviewed.

import {
  groupOfScope,
  isAdmin,
  namespaceOfScope,
  PUBLIC_SCOPE,
  PUBLIC_USER,
  roleFor,
} from "../../domain/access/access";
import { requireFreshSignIn } from "../../domain/console/dangerous";
import { GatewayError, invalid } from "../../domain/errors";
import { REVIEW_LIMITS } from "../../domain/limits";
import { foldName } from "../../domain/package/path";
import { canReview, DECIDED_STATE, isOpen, type ReviewDecision } from "../../domain/review/review";
import { reviewEvent } from "../../domain/webhooks/webhooks";
import type { Approval } from "../../storage/d1/review/approval";
import { readCompared, readCurrentId } from "../../storage/d1/review/content";
import {
  addReviewComment,
  changeReviewState,
  type NewReviewEvent,
  type ReviewEventRow,
  type ReviewRow,
} from "../../storage/d1/review/reviews";
import { readWholePackage } from "../../storage/r2/packages";
import { roleTooLow } from "../access/groups";
import { adminOnlyError } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { publish } from "../registry/publish";
import { describeLater } from "../tools/describe-later";
import { findReview, reviewClosed } from "./read";
import { draftExpiry } from "./submit";

/** A decision on exactly the content and the comparison that the reviewer has seen. */
export interface Decision {
  decision: ReviewDecision;
  /** SHA-256 of the ZIP. */
  zipSha256: string;
  /** The version it was compared with; `null`: the skill is new. Only for `approve`. */
  baseId: string | null;
  comment: string | null;
  /** Whether an admin approves the admin's own submission in an emergency. */
  isBypass: boolean;
}

/** Decides an open submission. Nobody decides their own, except an admin who bypasses the review explicitly. */
export async function decideReview(context: Context, id: string, asked: Decision): Promise<ReviewRow> {
  const review = await findReview(context, id);
  requireReviewer(context, review, asked);
  if (!isOpen(review.state)) throw reviewClosed(review);
  if (review.zipSha256 !== asked.zipSha256) throw reviewChanged(review);
  if (asked.decision === "approve") return approve(context, review, asked);
  const { decision, comment } = asked;
  const state = DECIDED_STATE[decision];
  const recorded = audited(context, `review.${decision}`, id, {
    after: { name: review.name, scope: review.scope, zip_sha256: review.zipSha256 },
    event: reviewEvent("review.decided", review, state),
    when: { review: id, zipSha256: review.zipSha256, state },
  });
  const decided = await changeReviewState(
    recorded,
    review,
    state,
    eventOf(context, state, comment),
    draftExpiry(context),
  );
  return decided ?? throwOutdated(context, review, null);
}

/** Adds a comment to an open submission. */
export async function commentReview(
  context: Context,
  id: string,
  { comment, path, line }: { comment: string; path: string | null; line: number | null },
): Promise<ReviewEventRow> {
  const review = await findReview(context, id);
  if (!isOpen(review.state)) throw reviewClosed(review);
  if (path !== null) await requireFile(context, review, path);
  const event = { ...eventOf(context, "commented", comment), path, line };
  const recorded = audited(context, "review.comment", id, { after: { name: review.name, scope: review.scope } });
  const terms = { most: REVIEW_LIMITS.events, expiresAt: draftExpiry(context) };
  const made = await addReviewComment(recorded, review, event, terms);
  if (made !== null) return made;
  const now = await findReview(context, id);
  if (!isOpen(now.state)) throw reviewClosed(now);
  const limit = REVIEW_LIMITS.events;
  const message = `Comment limit of the submission reached (${limit} events). Decide or withdraw it.`;
  throw new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit });
}

async function approve(context: Context, review: ReviewRow, asked: Decision): Promise<ReviewRow> {
  const { scope, name } = review;
  const folded = foldName(name);
  const isPublic = scope === PUBLIC_SCOPE;
  if ((await readCurrentId(context.db, scope, folded)) !== asked.baseId) throw await baseChanged(context, review);
  const upload = await readWholePackage(context.packages, context.timings, review.versionId);
  if (upload === null) return throwOutdated(context, review, asked.baseId);
  const approval: Approval = {
    ...{ review, folded, baseId: asked.baseId, userId: context.caller.principal.userId },
    reviewers: asked.isBypass ? 0 : 1,
    event: eventOf(context, "approved", asked.comment),
  };
  try {
    const { status, skill } = await publish(context, {
      ...{ upload, fileName: `${name}.zip`, name, idempotencyKey: null },
      target: { scope, namespace: namespaceOfScope(scope), userId: isPublic ? PUBLIC_USER : review.userId },
      approval: { ...approval, author: review.userId },
    });
    if (status === 201) describeLater(context, skill);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.reason !== "REVIEW_OUTDATED") throw error;
    return throwOutdated(context, review, asked.baseId);
  }
  return findReview(context, review.id);
}

function eventOf(context: Context, type: NewReviewEvent["type"], comment: string | null): NewReviewEvent {
  return { id: context.newId("rve"), userId: context.caller.principal.userId, type, comment };
}

/** Throws if the caller cannot make this decision on this submission. */
function requireReviewer(
  context: Context,
  { scope, userId }: ReviewRow,
  { decision, comment, isBypass }: Decision,
): void {
  const { principal } = context.caller;
  const isOwn = userId === principal.userId;
  if (!canReview(principal, scope)) {
    const group = groupOfScope(scope);
    if (group === null) throw adminOnlyError("Only admins can review public skills. Wait for one.");
    throw roleTooLow(group, roleFor("activate"));
  }
  if (scope === PUBLIC_SCOPE) requireFreshSignIn(principal);
  if (isBypass && (!isAdmin(principal) || !isOwn || decision !== "approve")) {
    const message = "`bypass` is only for an admin who approves the admin's own submission. Remove it.";
    throw new GatewayError("forbidden", "BYPASS_NOT_ALLOWED", message);
  }
  if (isOwn && !isBypass) {
    const message = "Nobody decides their own submission. Ask another reviewer, or withdraw it.";
    throw new GatewayError("forbidden", "OWN_REVIEW", message);
  }
  if (comment === null && (decision !== "approve" || isBypass)) {
    const message = "`comment` is missing. Give the reason for the decision.";
    throw invalid([{ code: "INVALID_FIELD", message, path: "comment" }]);
  }
}

async function requireFile(context: Context, review: ReviewRow, path: string): Promise<void> {
  const place = { scope: review.scope, folded: foldName(review.name) };
  const { content, current } = await readCompared(context.db, review.versionId, place);
  if ([content, current].some((version) => version?.files.some((file) => file.path === path) === true)) return;
  const message = "Neither the submission nor the current version has a file with this path. Check it.";
  throw invalid([{ code: "INVALID_FIELD", message, path: "path" }]);
}

/** Throws why a decision no longer fits. */
async function throwOutdated(context: Context, before: ReviewRow, baseId: string | null): Promise<never> {
  const review = await findReview(context, before.id);
  if (!isOpen(review.state)) throw reviewClosed(review);
  if (review.zipSha256 !== before.zipSha256) throw reviewChanged(review);
  const current = await readCurrentId(context.db, review.scope, foldName(review.name));
  if (current !== baseId) throw await baseChanged(context, review);
  throw new GatewayError("conflict", "CONCURRENT_CHANGE", "The submission is being changed. Try again.");
}

function reviewChanged({ zipSha256 }: ReviewRow): GatewayError {
  const message = "The author changed the content after you read it. Read the submission again.";
  return new GatewayError("conflict", "REVIEW_CHANGED", message, { zip_sha256: zipSha256 });
}

async function baseChanged(context: Context, { scope, name }: ReviewRow): Promise<GatewayError> {
  const current = await readCurrentId(context.db, scope, foldName(name));
  const message = "The current version is not the one that you compared with. Read the submission again.";
  return new GatewayError("conflict", "REVIEW_BASE_CHANGED", message, { base_version_id: current });
}
