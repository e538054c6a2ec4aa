// Pushes drafts, and promotes them through the normal publishing checks.

import {
  DEFAULT_NAMESPACE,
  draftScope,
  groupOfScope,
  isNameable,
  PUBLIC_SCOPE,
  PUBLIC_USER,
  userScope,
} from "../../domain/access/access";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, type Issue, invalid } from "../../domain/errors";
import { DRAFT_LIMITS } from "../../domain/limits";
import { readPackage } from "../../domain/package/package";
import { foldName } from "../../domain/package/path";
import { reviewEvent } from "../../domain/webhooks/webhooks";
import { constraintOf } from "../../storage/d1/database";
import { type DraftSummary, putDraft, readOwnDraft } from "../../storage/d1/registry/drafts";
import { openReviewsOf, type ReviewRow } from "../../storage/d1/review/reviews";
import type { SkillRecord } from "../../storage/d1/skills";
import { putCode, putPackage, readWholePackage } from "../../storage/r2/packages";
import { audited } from "../audit";
import type { Context } from "../context";
import { countToday, requireRoomForSkill } from "../quota";
import { type DraftVersion, draftVersion } from "./draft-version";
import { deletePackageObjects, draftNotFound, findOwnDraft } from "./drafts";
import { type Published, publish } from "./publish";
import { nameConflict, refusedPackage } from "./refused";
import type { RoutingReport } from "./routing";
import { requireRight, scopeNamed } from "./skills";

export interface DraftRequest {
  name: string;
  upload: Uint8Array;
  fileName: string | undefined;
  /** Target of publishing: a namespace, or public. */
  namespace: string;
  isPublic: boolean;
  /** Users who can select the draft. */
  users: readonly string[];
}

/** A pushed draft, and the report that publishing it would return. */
export interface PushedDraft {
  draft: DraftSummary;
  isNew: boolean;
  scripts: SkillRecord["scripts"];
  routing: RoutingReport | null;
}

/** Replaces the author's draft of this name. Applies the checks of publishing. */
export async function pushDraft(context: Context, request: DraftRequest): Promise<PushedDraft> {
  const author = context.caller.principal.userId;
  const { target, scope } = targetOf(context, request);
  const users = readersOf(request.users, author);
  await countToday(context, "uploads");
  const outcome = await readPackage(request.upload, {
    ...(request.fileName === undefined ? {} : { fileName: request.fileName }),
    name: request.name,
  });
  const { package: found } = outcome;
  if (found === null) throw refusedPackage(outcome);
  const folded = foldName(found.name);
  const { used, ...known } = await readOwnDraft(context.db, author, folded);
  refuseBeside(known, found.name);
  const label = found.manifest.version ?? null;
  const facts = {
    uploadSha256: await sha256Hex(request.upload),
    startedAt: context.now(),
    label,
    source: null,
    provenance: null,
    createdBy: author,
  };
  const open = known.draft === null ? [] : await openReviewsOf(context.db, known.draft.id);
  const isShared = users.length > 0 || open.length > 0;
  const made = await draftVersion(context, found, { scope, isShared }, facts);
  const { version, code, rowBytes, routing } = made;
  // The replaced draft does not count.
  const rest = {
    ...used,
    versions: used.versions - (known.draft === null ? 0 : 1),
    bytes: used.bytes - (known.draft?.size ?? 0),
  };
  requireRoomForSkill(context.settings, "user", rest, {
    isNew: false,
    bytes: version.zipSize,
    databaseBytes: rowBytes,
  });
  const { packages, timings } = context;
  await Promise.all([
    putPackage(packages, timings, version.id, found.zip, version.zipSha256),
    code === null ? null : putCode(packages, timings, version.id, code),
  ]);
  const expiresAt = context.now() + context.settings.DRAFT_DAYS * DAY_MS;
  const after = { name: found.name, target, version_id: version.id, digest: version.digest, users: users.length };
  let before = known.draft;
  for (let round = 0; ; round++) {
    const id = before?.id ?? context.newId("skl");
    const skill = {
      ...{ id, scope: draftScope(author), name: found.name, folded },
      ...{ namespace: DEFAULT_NAMESPACE, userId: author, versionId: version.id },
    };
    try {
      const changed = open.filter(({ zipSha256 }) => zipSha256 !== version.zipSha256);
      const db = audited({ ...context, db: recordChanges(context, changed, version) }, "skill.draft.put", id, {
        after,
      });
      const row = { ...version, skillId: id, attestation: null };
      const events = changed.map(({ id: reviewId }) => ({ reviewId, eventId: context.newId("rve") }));
      await putDraft(db, before, skill, row, { target, expiresAt, users }, events);
    } catch (error) {
      if (constraintOf(error) === null) throw error;
      if (round === ROUNDS) throw pushedAtOnce();
      // A concurrent push was faster and nothing was written: this push replaces its draft.
      const now = await readOwnDraft(context.db, author, folded);
      refuseBeside(now, found.name);
      before = now.draft;
      continue;
    }
    if (before !== null) await deletePackageObjects(context, [before]);
    const { label, description, warnings, tokensInstructions: tokens, zipSize: size } = version;
    const draft = {
      ...{ id, author, name: found.name, target, users, versionId: version.id, version: label },
      ...{ digest: version.digest, zipSha256: version.zipSha256 },
      ...{ description, tokens, size, warnings, pushedAt: context.now(), expiresAt },
    };
    return { draft, isNew: before === null, scripts: version.scripts, routing };
  }
}

/** Publishes the bytes of a draft to its target like an upload. The draft stays until it expires. */
export async function promoteDraft(context: Context, name: string, idempotencyKey: string | null): Promise<Published> {
  const draft = await findOwnDraft(context, name);
  const { principal } = context.caller;
  const isPublic = draft.target === PUBLIC_SCOPE;
  const namespace = groupOfScope(draft.target) ?? DEFAULT_NAMESPACE;
  const { scope } = targetOf(context, { namespace, isPublic });
  const upload = await readWholePackage(context.packages, context.timings, draft.versionId);
  if (upload === null) throw draftNotFound();
  return publish(context, {
    upload,
    fileName: `${draft.name}.zip`,
    name: draft.name,
    target: { scope, namespace, userId: isPublic ? PUBLIC_USER : principal.userId },
    idempotencyKey,
  });
}

/** Returns a database whose next batch also records that submissions have other content, and tells their webhooks. */
function recordChanges(
  context: Context,
  changed: readonly ReviewRow[],
  { zipSha256, label }: Pick<DraftVersion, "zipSha256" | "label">,
): Context["db"] {
  return changed.reduce((db, { id, scope, name }) => {
    const after = { name, scope, zip_sha256: zipSha256 };
    const event = reviewEvent("review.requested", { id, scope, name, label, zipSha256 }, "pending");
    const when = { review: id, zipSha256, state: "pending" } as const;
    return audited({ ...context, db }, "review.change", id, { after, event, when });
  }, context.db);
}

/** The target for the author's own namespace. */
const OWN = "own";
const DAY_MS = 24 * 60 * 60_000;
/** Number of attempts against concurrent pushes of the same draft. */
const ROUNDS = 3;

/** Rejects a name that looks like another draft's, and drafts above the limit. */
function refuseBeside({ draft, count }: { draft: DraftSummary | null; count: number }, name: string): void {
  if (draft !== null && draft.name !== name) throw nameConflict(draft.name, name);
  if (draft === null && count >= DRAFT_LIMITS.drafts) throw tooManyDrafts();
}

function pushedAtOnce(): GatewayError {
  const message = "The draft is being changed by another request. Try again.";
  return new GatewayError("conflict", "CONCURRENT_CHANGE", message);
}

/** Returns the target scope. Throws if the caller cannot publish there. */
function targetOf(
  { caller: { principal } }: Context,
  { namespace, isPublic }: Pick<DraftRequest, "namespace" | "isPublic">,
): { target: string; scope: string } {
  if (isPublic && namespace !== DEFAULT_NAMESPACE) {
    const message = "`namespace` and `public` exclude each other. Send one of them.";
    throw invalid([{ code: "INVALID_FIELD", message, path: "namespace" }]);
  }
  const scope = isPublic ? PUBLIC_SCOPE : scopeNamed(principal, namespace);
  requireRight(principal, "publish", scope);
  return { scope, target: scope === userScope(principal.userId) ? OWN : scope };
}

/** Returns the named users without duplicates and without the author. */
function readersOf(users: readonly string[], author: string): string[] {
  const named = [...new Set(users)].filter((user) => user !== author);
  const issues: Issue[] = named
    .filter((user) => !isNameable(user))
    .map((user) => ({ code: "INVALID_FIELD", message: `'${user}' is not a valid user id. Check it.`, path: "users" }));
  if (named.length > DRAFT_LIMITS.users)
    issues.push({
      code: "INVALID_FIELD",
      message: `Too many users (limit ${DRAFT_LIMITS.users}). Remove some.`,
      path: "users",
    });
  if (issues.length > 0) throw invalid(issues);
  return named.sort();
}

function tooManyDrafts(): GatewayError {
  const { drafts: limit } = DRAFT_LIMITS;
  const message = `Draft limit reached (${limit} per author). Publish or delete a draft first.`;
  return new GatewayError("conflict", "QUOTA_EXCEEDED", message, { limit });
}
