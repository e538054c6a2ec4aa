// Rules of reviews: which scopes require one, the states of a submission, and who can submit and decide.

import { groupOfScope, kindOfScope, may, type Principal, PUBLIC_SCOPE } from "../access/access";
import type { ReviewPolicy, Settings } from "../settings/settings";

/** States of a submission. The first two are open: the author can change the draft, and reviewers can decide. */
export const REVIEW_STATES = ["pending", "changes_requested", "approved", "rejected", "withdrawn"] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

export const OPEN_STATES = ["pending", "changes_requested"] as const satisfies readonly ReviewState[];

/** What reviewers can decide. */
export const REVIEW_DECISIONS = ["approve", "request_changes", "reject"] as const;
export type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/** The state after a decision. */
export const DECIDED_STATE = {
  approve: "approved",
  request_changes: "changes_requested",
  reject: "rejected",
} as const satisfies Record<ReviewDecision, ReviewState>;

/** What happened to a submission. `changed`: the author pushed other content. */
export const REVIEW_EVENTS = [
  "submitted",
  "changed",
  "commented",
  "approved",
  "changes_requested",
  "rejected",
  "withdrawn",
] as const;
export type ReviewEventType = (typeof REVIEW_EVENTS)[number];

/** Whether a submission is open. */
export function isOpen(state: ReviewState): boolean {
  return OPEN_STATES.some((open) => open === state);
}

/**
 * Returns what applies to new versions in a scope. A user's own skills have no review. `REVIEW_GROUPS=required` binds every group; otherwise
 * a group's own value precedes it.
 *
 * @param ofGroup the value that the group's owner chose; `null` for other scopes and without a choice
 */
export function reviewPolicyOf(
  { REVIEW, REVIEW_GROUPS }: Pick<Settings, "REVIEW" | "REVIEW_GROUPS">,
  scope: string,
  ofGroup: ReviewPolicy | null,
): ReviewPolicy {
  if (scope === PUBLIC_SCOPE) return REVIEW;
  if (groupOfScope(scope) === null) return "off";
  return REVIEW_GROUPS === "required" ? "required" : (ofGroup ?? REVIEW_GROUPS);
}

/** Whether the principal can submit to a scope: Developers of a group, and every user to public. */
export function canSubmit(principal: Principal, scope: string): boolean {
  if (kindOfScope(scope) === "user" || principal.publisher !== undefined) return false;
  return scope === PUBLIC_SCOPE || may(principal, "publish", scope);
}

/** Whether the principal can see and decide the submissions of a scope: Maintainers of a group, admins for public. */
export function canReview(principal: Principal, scope: string): boolean {
  return kindOfScope(scope) !== "user" && may(principal, "activate", scope);
}

/** Returns the scopes whose submissions the principal can decide. */
export function reviewableScopes(principal: Principal): string[] {
  const groups = principal.groups.map(({ group }) => `group:${group}`);
  return [...groups, PUBLIC_SCOPE].filter((scope) => canReview(principal, scope));
}
