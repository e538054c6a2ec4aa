// Submits drafts for review, and withdraws submissions.

import { DEFAULT_NAMESPACE, groupOfScope, PUBLIC_SCOPE, roleFor } from "../../domain/access/access";
import { GatewayError, invalid } from "../../domain/errors";
import { REVIEW_LIMITS } from "../../domain/limits";
import { foldName } from "../../domain/package/path";
import { canSubmit, isOpen, reviewPolicyOf } from "../../domain/review/review";
import { reviewEvent } from "../../domain/webhooks/webhooks";
import { constraintOf } from "../../storage/d1/database";
import type { DraftSummary } from "../../storage/d1/registry/drafts";
import { type PublishState, readPublishState } from "../../storage/d1/registry/publish-state";
import { changeReviewState, insertReview, openReviewsOf, type ReviewRow } from "../../storage/d1/review/reviews";
import { roleTooLow } from "../access/groups";
import { audited } from "../audit";
import type { Context } from "../context";
import { refuseCredentials, refuseDangerous } from "../registry/draft-version";
import { findOwnDraft } from "../registry/drafts";
import { nameConflict } from "../registry/refused";
import { scopeNamed, versionYanked } from "../registry/skills";
import { findReview, reviewClosed } from "./read";

export interface Submission {
  /** Name of the caller's draft. */
  draft: string;
  /** The group, or public. */
  namespace: string;
  isPublic: boolean;
  comment: string | null;
}

/** Submits the caller's draft. If it has an open submission to this scope already, returns that one. */
export async function submitDraft(
  context: Context,
  { draft: name, namespace, isPublic, comment }: Submission,
): Promise<{ review: ReviewRow; isNew: boolean }> {
  const { principal } = context.caller;
  const scope = scopeOf(context, namespace, isPublic);
  const draft = await findOwnDraft(context, name);
  const asked = { scope: null, use: null, group: groupOfScope(scope) };
  const content = { digest: draft.digest, label: draft.version };
  const state = await readPublishState(context.db, { scope, folded: foldName(draft.name) }, content, asked);
  if (reviewPolicyOf(context.settings, scope, state.ofGroup) === "off") throw reviewOff(scope);
  refuseCredentials(draft.warnings);
  if (isPublic) refuseDangerous(context, draft.warnings);
  refuseConflict(draft, state);
  const id = context.newId("rev");
  const review = {
    id,
    scope,
    name: draft.name,
    draftId: draft.id,
    userId: principal.userId,
    versionId: draft.versionId,
  };
  const event = { id: context.newId("rve"), userId: principal.userId, type: "submitted", comment } as const;
  const { zipSha256, version: label } = draft;
  const recorded = audited(context, "review.submit", id, {
    after: { name: draft.name, scope, zip_sha256: zipSha256 },
    event: reviewEvent("review.requested", { id, scope, name: draft.name, label, zipSha256 }, "pending"),
    when: { review: id, zipSha256, state: "pending" },
  });
  const known = async () => (await openReviewsOf(context.db, draft.id)).find((one) => one.scope === scope);
  try {
    const terms = { most: REVIEW_LIMITS.open, expiresAt: draftExpiry(context) };
    const made = await insertReview(recorded, review, event, terms);
    if (made !== null) return { review: made, isNew: true };
  } catch (error) {
    if (constraintOf(error) === null) throw error;
  }
  const open = await known();
  if (open !== undefined) return { review: open, isNew: false };
  const now = await findOwnDraft(context, name);
  if (now.versionId !== draft.versionId)
    throw new GatewayError(
      "conflict",
      "CONCURRENT_CHANGE",
      "The draft is being changed by another request. Try again.",
    );
  throw tooManyReviews();
}

/** Withdraws an open submission of the caller. */
export async function withdrawReview(context: Context, id: string): Promise<ReviewRow> {
  const { principal } = context.caller;
  for (let round = 0; round < ROUNDS; round++) {
    const review = await findReview(context, id);
    if (review.userId !== principal.userId) {
      const message = "Only the author can withdraw a submission. Reject it instead.";
      throw new GatewayError("forbidden", "NOT_THE_AUTHOR", message);
    }
    if (!isOpen(review.state)) throw reviewClosed(review);
    const event = { id: context.newId("rve"), userId: principal.userId, type: "withdrawn", comment: null } as const;
    const recorded = audited(context, "review.withdraw", id, {
      after: { name: review.name, scope: review.scope },
      when: { review: id, zipSha256: review.zipSha256, state: "withdrawn" },
    });
    const done = await changeReviewState(recorded, review, "withdrawn", event, 0);
    if (done !== null) return done;
  }
  throw new GatewayError("conflict", "CONCURRENT_CHANGE", "The submission is being changed. Try again.");
}

/** Number of attempts against concurrent pushes. */
const ROUNDS = 3;
const DAY_MS = 24 * 60 * 60_000;

/** Returns the time until which activity on a submission keeps its draft. */
export function draftExpiry({ now, settings }: Pick<Context, "now" | "settings">): number {
  return now() + settings.DRAFT_DAYS * DAY_MS;
}

/** Returns the scope. Throws if the caller cannot submit there. */
function scopeOf({ caller: { principal } }: Context, namespace: string, isPublic: boolean): string {
  if (isPublic === (namespace !== DEFAULT_NAMESPACE)) {
    const message = "A review needs a scope. Send `namespace` with a group's name, or `public: true`.";
    throw invalid([{ code: "INVALID_FIELD", message, path: "namespace" }]);
  }
  const scope = isPublic ? PUBLIC_SCOPE : scopeNamed(principal, namespace);
  if (!canSubmit(principal, scope)) throw roleTooLow(namespace, roleFor("publish"));
  return scope;
}

/** Rejects content that approval could not publish. */
function refuseConflict({ name, digest, version: label }: DraftSummary, { skill, versions }: PublishState): void {
  if (skill !== null && skill.name !== name) throw nameConflict(skill.name, name);
  const equal = versions.find((version) => version.digest === digest);
  if (equal?.yankedAt != null)
    throw versionYanked({ name, versionId: equal.id }, "Unyank the version, or change the content.");
  const [taken] = versions;
  if (equal !== undefined || taken === undefined) return;
  const message = `Version ${label} of '${name}' already exists with other content. Use another version label.`;
  throw new GatewayError("conflict", "VERSION_EXISTS", message, { version: label, version_id: taken.id });
}

function reviewOff(scope: string): GatewayError {
  const group = groupOfScope(scope);
  const where = group === null ? "Public skills are" : `The group '${group}' is`;
  const message = `${where} set to \`review: off\`. Publish directly, or ask who manages it to turn reviews on.`;
  return new GatewayError("forbidden", "REVIEW_OFF", message, { scope });
}

function tooManyReviews(): GatewayError {
  const { open: limit } = REVIEW_LIMITS;
  const message = `Limit of open submissions reached (${limit} per user). Withdraw one, or wait for decisions.`;
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit });
}
