// Lists submissions, and reads one with its differences from the current version.

import * as z from "zod";
import { draftScope, groupOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import {
  type Permission,
  permissionChanges,
  permissionsOf,
  type SkillPermissions,
} from "../../domain/code/permissions";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError, type Issue } from "../../domain/errors";
import type { EvalCase, Regressions } from "../../domain/insights/evals";
import { REVIEW_LIMITS } from "../../domain/limits";
import { foldName } from "../../domain/package/path";
import type { PackageFile } from "../../domain/package/skill";
import { canReview, isOpen, REVIEW_STATES, type ReviewState, reviewableScopes } from "../../domain/review/review";
import { readRunOfContent } from "../../storage/d1/registry/evals";
import { type ReviewedVersion, readCompared, readReviewedVersion } from "../../storage/d1/review/content";
import {
  listReviews,
  type ReviewEventRow,
  type ReviewFilter,
  type ReviewRow,
  readReview,
  readReviewEvents,
} from "../../storage/d1/review/reviews";
import { canRunCodeInScope } from "../catalog/can-run";
import type { Context } from "../context";
import { regressionsIn } from "../registry/regressions";
import { type RoutingReport, reportRouting } from "../registry/routing";
import { openBytes } from "../registry/skills";

/** What a list of submissions asks for. */
export interface ReviewQuery {
  /** `open`: both open states. */
  state?: ReviewState | "open" | undefined;
  scope?: string | undefined;
  /** `true`: the caller's submissions. `false`: those of others that the caller can decide. */
  mine?: boolean | undefined;
}

/** A file that differs from the compared version. */
export interface FileChange {
  path: string;
  change: "added" | "changed" | "removed";
  /** Bytes; `null`: the file does not exist there. */
  size: number | null;
  baseSize: number | null;
}

/** A submission with everything a reviewer decides on. */
export interface ReviewInFull {
  review: ReviewRow;
  /** Whether the caller can decide it: as a reviewer, and not as its author. */
  canDecide: boolean;
  /** `null` if the content was deleted, or changed after the decision. */
  content: ReviewedVersion | null;
  /** The version it is compared with; `null`: the skill is new. */
  base: ReviewedVersion | null;
  files: FileChange[];
  permissions: { added: Permission[]; removed: Permission[] };
  routing: RoutingReport | null;
  /** The newest recorded test run of the content; `null`: none, or the caller is not a reviewer of the scope. */
  testResults: TestResults | null;
  events: ReviewEventRow[];
}

/** A recorded run of test cases, compared with the version before. */
export interface TestResults {
  recordedBy: string;
  recordedAt: number;
  runner: string | null;
  model: string | null;
  cases: readonly EvalCase[];
  /** `null`: no case that passed before fails now. */
  regressions: Regressions | null;
}

const cursorSchema = z.object({ id: z.string() });

/** Returns submissions, newest first: the caller's, and those that the caller can decide. */
export async function readSubmissions(
  context: Context,
  { state, scope, mine }: ReviewQuery,
  limit: number,
  cursor: string | undefined,
): Promise<{ reviews: ReviewRow[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  const reviewable = reviewableScopes(principal);
  const wanted = scope === undefined ? reviewable : reviewable.filter((one) => one === scope);
  const states = state === undefined ? REVIEW_STATES : REVIEW_STATES.filter((one) => isState(one, state));
  const filter: ReviewFilter = {
    userId: mine === false ? null : principal.userId,
    scopes: mine === true ? [] : wanted,
    states,
    ownScope: scope,
    notBy: mine === false ? principal.userId : undefined,
  };
  const before = decodeCursor(cursor, cursorSchema)?.id ?? null;
  const rows = await listReviews(context.db, filter, limit + 1, before);
  const { page, nextCursor } = pageOf(rows, limit, ({ id }) => ({ id }));
  return { reviews: page, nextCursor };
}

function isState(state: ReviewState, wanted: ReviewState | "open"): boolean {
  return wanted === "open" ? isOpen(state) : state === wanted;
}

/** Returns a submission that the caller submitted or can decide. Others are reported as not found. */
export async function findReview(context: Context, id: string): Promise<ReviewRow> {
  const review = await readReview(context.db, id);
  const { principal } = context.caller;
  if (review !== null && (review.userId === principal.userId || canReview(principal, review.scope))) return review;
  throw new GatewayError("not_found", "REVIEW_NOT_FOUND", "Review not found. Check the id.");
}

/** Returns a submission with its differences, findings and history. */
export async function readReviewInFull(context: Context, id: string): Promise<ReviewInFull> {
  const review = await findReview(context, id);
  const { principal } = context.caller;
  const folded = foldName(review.name);
  const [compared, decidedBase, events, tested] = await Promise.all([
    readCompared(context.db, contentId(review), { scope: review.scope, folded }),
    review.baseId === null ? null : readReviewedVersion(context.db, review.baseId),
    readReviewEvents(context.db, id, REVIEW_LIMITS.events + DECISIONS_KEPT),
    canReview(principal, review.scope) ? readTestResults(context, review) : null,
  ]);
  const base = review.state === "approved" ? decidedBase : compared.current;
  const submitted = compared.content?.zipSha256 === review.zipSha256 ? compared.content : null;
  const content = submitted === null ? null : withoutScopeOfDraft(context, submitted, review);
  const canDecide = isOpen(review.state) && review.userId !== principal.userId && canReview(principal, review.scope);
  const known = { review, events, content, base, canDecide, testResults: content === null ? null : tested };
  if (content === null) return { ...known, files: [], permissions: { added: [], removed: [] }, routing: null };
  const { CODE_SCOPES: codeScopes } = context.settings;
  const permitted = (version: ReviewedVersion) => permissionsOf({ ...version, scope: review.scope }, codeScopes);
  const before = base === null ? NO_PERMISSIONS : permitted(base);
  const routing = isOpen(review.state)
    ? await reportRouting(context, { ...content, name: review.name }, review.scope)
    : null;
  return {
    ...known,
    files: fileChanges(base?.files ?? [], content.files).slice(0, REVIEW_LIMITS.files),
    permissions: permissionChanges(before, permitted(content)),
    routing,
  };
}

/** Returns the newest recorded test run of the submitted content. */
async function readTestResults(context: Context, review: ReviewRow): Promise<TestResults | null> {
  const skill = { scope: review.scope, folded: foldName(review.name) };
  const { run, comparison } = await readRunOfContent(context.db, skill, contentId(review));
  if (run === null) return null;
  const { createdBy, createdAt, ...rest } = run;
  return { ...rest, recordedBy: createdBy, recordedAt: createdAt, regressions: regressionsIn(comparison) };
}

/** Leaves out that code does not run in the scope of the draft, if it runs in the scope that it is submitted to. */
function withoutScopeOfDraft<T extends { warnings: Issue[] }>(
  context: Context,
  content: T,
  { userId, scope }: Pick<ReviewRow, "userId" | "scope">,
): T {
  const isOnlyOfDraft = canRunCodeInScope(context, scope) && !canRunCodeInScope(context, draftScope(userId));
  if (!isOnlyOfDraft) return content;
  return { ...content, warnings: content.warnings.filter(({ code }) => code !== "CODE_NOT_RUN") };
}

/** What a skill without a version can do. */
const NO_PERMISSIONS: SkillPermissions = {
  ...{ runs_code: false, asks_pages: false, model_invocation: false, preload: false },
  ...{ tools: [], allowed_tools: [], scripts: [], servers: [], network: [], env: [], hosts: [], secrets: [] },
  ...{ variables: [], commands: [], dependencies: [] },
};

/** Events of decisions beyond the limit of events. */
const DECISIONS_KEPT = 50;

/** Returns the ZIP of a submission. */
export async function openReviewPackage(context: Context, id: string) {
  const review = await findReview(context, id);
  const found = await readReviewedVersion(context.db, contentId(review));
  if (found === null || found.zipSha256 !== review.zipSha256) {
    const message = "The content of this submission was deleted or changed. Only its digest is stored.";
    throw new GatewayError("not_found", "REVIEW_CONTENT_GONE", message);
  }
  return { review, size: found.zipSize, body: await openBytes(context, found.versionId, 0, found.zipSize) };
}

/** Returns the version that has the content of a submission. */
function contentId({ publishedId, versionId }: ReviewRow): string {
  return publishedId ?? versionId;
}

/** The error for changes of a closed submission. */
export function reviewClosed({ state }: ReviewRow): GatewayError {
  const message = `The submission is closed (${state}). Submit the draft again.`;
  return new GatewayError("conflict", "REVIEW_CLOSED", message, { state });
}

/** Returns who can decide submissions of a scope, for messages. */
export function reviewersOf(scope: string): string {
  return scope === PUBLIC_SCOPE ? "admins" : `Maintainers of the group '${groupOfScope(scope)}'`;
}

/** Returns the files that two versions do not share. */
function fileChanges(before: readonly PackageFile[], after: readonly PackageFile[]): FileChange[] {
  const older = new Map(before.map((file) => [file.path, file]));
  const newer = new Set(after.map(({ path }) => path));
  const changed = after.flatMap(({ path, size, sha256, mode }): FileChange[] => {
    const known = older.get(path);
    if (known === undefined) return [{ path, change: "added", size, baseSize: null }];
    if (known.sha256 === sha256 && known.mode === mode) return [];
    return [{ path, change: "changed", size, baseSize: known.size }];
  });
  const removed = before.flatMap(({ path, size }): FileChange[] =>
    newer.has(path) ? [] : [{ path, change: "removed", size: null, baseSize: size }],
  );
  return [...changed, ...removed].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
