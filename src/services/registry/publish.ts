// Publishes a package: bytes → package → object → rows. The batch of rows is the commit point. A failure before it leaves at most an
// invisible object, which the sweep deletes. A failure after it leaves a finished publish, which a retry reports.

import { canPublishName, groupOfScope } from "../../domain/access/access";
import type { Provenance } from "../../domain/access/provenance";
import { quotaOwnerOf } from "../../domain/access/quota";
import type { SkillSource } from "../../domain/catalog/source";
import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { readPackage } from "../../domain/package/package";
import { foldName } from "../../domain/package/path";
import type { SkillPackage } from "../../domain/package/skill";
import { skillEvent } from "../../domain/webhooks/webhooks";
import { constraintOf } from "../../storage/d1/database";
import { keepReply, type NewReply, readReply, type StoredReply } from "../../storage/d1/idempotency";
import { type EvalComparison, readComparisonOf } from "../../storage/d1/registry/evals";
import { type PublishState, readPublishState } from "../../storage/d1/registry/publish-state";
import { insertInactive, insertSkill, insertVersion } from "../../storage/d1/registry/publishing";
import type { NewVersion } from "../../storage/d1/registry/version-batch";
import { APPROVAL_CONSTRAINT, type Approval } from "../../storage/d1/review/approval";
import { readSkillAt, type SkillRecord } from "../../storage/d1/skills";
import { putVersion } from "../../storage/r2/packages";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { countIfNew, countToday, requireBelowDailyLimit, requireRoomForSkill, todaysUse } from "../quota";
import { signVersion } from "../secrets/signing";
import type { PublishTarget } from "./draft-version";
import { draftVersion } from "./draft-version";
import { nameConflict, nameTaken, refusedPackage } from "./refused";
import { withRegressions } from "./regressions";
import { activateReviewed, approvalOutdated, approvalRecorded, requireNoReview } from "./reviewed";
import type { RoutingReport } from "./routing";
import { skillNotFound, versionYanked } from "./skills";

export interface PublishRequest {
  upload: Uint8Array;
  /** Name of the uploaded file, and the form field `name`. */
  fileName: string | undefined;
  name: string | undefined;
  target: PublishTarget;
  /** Version label given outside of the files, which overrides theirs. */
  label?: string | undefined;
  idempotencyKey: string | null;
  /** The declared source, stored with the new version. */
  source?: SkillSource | null;
  /** Does not make the new version current, if the skill has a current one. */
  keepsCurrent?: boolean;
  vendor?: VendorTerms;
  /** MCP servers given outside of the package. */
  servers?: JsonObject;
  /** The approval of exactly this content. It is required in scopes with review. */
  approval?: Approval & { author: string };
}

/** 201 for a new version, 200 for existing content. */
export interface Published {
  status: 200 | 201;
  skill: SkillRecord;
  /** `null` also in a repeated response. */
  routing: RoutingReport | null;
}

/** A repeatable request: its key, and the response to store. */
type Repeat = Omit<NewReply, "status" | "subject">;

/** Number of attempts against concurrent publishes of the same skill. One of them succeeds in every round. */
const ROUNDS = 8;

/** Publishes an upload. Safe to retry at any point. */
export async function publish(context: Context, request: PublishRequest): Promise<Published> {
  const startedAt = context.now();
  const uploadSha256 = await sha256Hex(request.upload);
  const repeat = await repeatOf(context, request, uploadSha256);
  // A repeated request is answered before anything else is done.
  const known = repeat === null ? null : await countIfNew(context, "uploads", repeat);
  if (repeat !== null && known !== null) return answerBy(context, repeat, known);

  const { target, source = null } = request;
  const naming = {
    ...(request.fileName === undefined ? {} : { fileName: request.fileName }),
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(target.id === undefined ? {} : { expected: target.name }),
    ...(request.vendor === undefined ? {} : { isWritten: true }),
  };
  const outcome = await readPackage(request.upload, naming, request.servers);
  const { package: found } = outcome;
  if (found === null) {
    if (repeat === null) await countToday(context, "uploads");
    throw refusedPackage(outcome);
  }
  const { principal } = context.caller;
  if (!canPublishName(principal, found.name)) {
    if (repeat === null) await countToday(context, "uploads");
    throw skillNotAllowed(found.name);
  }
  const { approval } = request;
  if (approval !== undefined && found.zipSha256 !== approval.review.zipSha256) throw approvalOutdated();
  const createdBy = approval?.author ?? principal.userId;
  const provenance = principal.publisher?.provenance ?? null;
  const label = request.label ?? found.manifest.version ?? null;
  const labelled = { name: found.name, digest: found.digest, label };
  const holder = quotaOwnerOf(target.scope);
  // D1 may be far away, so everything needed before the package is stored is read in parallel.
  const drafting = awaitedLater(
    draftVersion(context, found, target, { uploadSha256, startedAt, label, source, provenance, createdBy }),
  );
  const first = await findState(context, labelled, target, {
    scope: holder === null ? null : target.scope,
    // The pushes of a reviewed draft were counted for its author.
    use: repeat === null && approval === undefined ? todaysUse(context, "uploads") : null,
  });
  requireBelowDailyLimit(context, "uploads", first.count);
  const { version, rowBytes, code, ...drafted } = await drafting;
  // The report names other skills, which a CI job cannot read.
  const routing = principal.publisher === undefined ? drafted.routing : null;
  let stored = false;

  for (let round = 0; round < ROUNDS; round++) {
    const state = round === 0 ? first : await findState(context, labelled, target, NOTHING_ELSE);
    if (request.vendor?.isNew === true && state.skill !== null) throw skillExists(state.skill);
    const met = meet(labelled, target, state);
    if (approval !== undefined && met.versionId !== null)
      return {
        ...{ status: 200, routing },
        skill: withRegressions(await activateReviewed(context, approval, met.versionId), state.evals),
      };
    // Existing content is answered even if the caller is above a quota.
    if (met.versionId !== null)
      return { ...(await answerExisting(context, met.versionId, repeat, state.evals)), routing };
    if (approval === undefined) requireNoReview(context.settings, target.scope, state.ofGroup);
    if (!stored) {
      const more = { isNew: met.skillId === null, bytes: version.zipSize, databaseBytes: rowBytes };
      if (holder !== null) requireRoomForSkill(context.settings, holder, first.used, more);
      const objects = { zip: found.zip, sha256: version.zipSha256, code };
      await putVersion(context.packages, context.timings, version.id, objects);
      stored = true;
    }
    try {
      const answer = repeat === null ? null : { ...repeat, status: 201, subject: version.id };
      const place = { target, skillId: met.skillId, isBeside: isPublishedInactive(request, state) };
      const more = { answer, title: request.vendor?.title ?? null, approval: approval ?? null };
      const skill = await commit(context, found, place, version, more);
      return { status: 201, skill: withRegressions(skill, state.evals), routing };
    } catch (error) {
      const constraint = constraintOf(error);
      if (constraint === null) throw error;
      if (APPROVAL_CONSTRAINT.test(constraint)) throw approvalOutdated();
      if (constraint.includes("versions_in_time")) {
        throw new GatewayError("unavailable", "UNAVAILABLE", "Publishing timed out. Try again.");
      }
      // A concurrent publish was faster and nothing was written. Read the state again.
      const meanwhile = repeat === null ? null : await answerAgain(context, repeat);
      if (meanwhile !== null) return meanwhile;
    }
  }
  throw new GatewayError("conflict", "CONCURRENT_CHANGE", "The skill is being changed by another request. Try again.");
}

/** Defers a rejection until the promise is awaited. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** What a package is compared by: name, content and label. */
type Labelled = Pick<SkillPackage, "name" | "digest"> & { label: string | null };

/** Read once, and not again in later rounds. */
const NOTHING_ELSE = { scope: null, use: null };

function findState(
  context: Context,
  { name, digest, label }: Labelled,
  target: PublishTarget,
  asked: Omit<Parameters<typeof readPublishState>[3], "group">,
): Promise<PublishState> {
  const which = target.id === undefined ? { scope: target.scope, folded: foldName(name) } : { id: target.id };
  return readPublishState(context.db, which, { digest, label }, { ...asked, group: groupOfScope(target.scope) });
}

/** Returns the skill to add to and the version with the same content, if any. Throws on conflicts. */
function meet(
  { name, digest, label }: Labelled,
  target: PublishTarget,
  { skill, versions }: PublishState,
): { skillId: string | null; versionId: string | null } {
  if (skill === null) {
    if (target.id !== undefined) throw skillNotFound();
    return { skillId: null, versionId: null };
  }
  if (target.id === undefined && target.isNew === true) throw nameTaken(skill.name);
  if (skill.name !== name) throw nameConflict(skill.name, name);
  const equal = versions.find((version) => version.digest === digest);
  if (equal !== undefined && equal.yankedAt !== null)
    throw versionYanked({ name, versionId: equal.id }, "Unyank the version, or change the content.");
  if (equal !== undefined) return { skillId: skill.id, versionId: equal.id };
  const [taken] = versions;
  if (taken === undefined) return { skillId: skill.id, versionId: null };
  throw new GatewayError(
    "conflict",
    "VERSION_EXISTS",
    `Version ${label} of '${name}' already exists with other content. Use another version label.`,
    {
      version: label,
      version_id: taken.id,
    },
  );
}

async function commit(
  context: Context,
  { name }: SkillPackage,
  { target, skillId, isBeside }: { target: PublishTarget; skillId: string | null; isBeside: boolean },
  version: Omit<NewVersion, "skillId" | "attestation">,
  { answer, title, approval }: { answer: NewReply | null; title: string | null; approval: Approval | null },
): Promise<SkillRecord> {
  const after = {
    name,
    scope: scopeInLog(target.scope),
    version: version.label,
    version_id: version.id,
    digest: version.digest,
    ...(version.source === null ? {} : { source: version.source.url }),
    ...(version.provenance === null ? {} : publisherInLog(version.provenance)),
    ...(approval === null ? {} : { review: approval.review.id }),
  };
  const changed = approval === null ? context : { ...context, db: approvalRecorded(context, approval, version.id) };
  const recorded = (id: string) =>
    audited(changed, "skill.publish", id, {
      after,
      event: skillEvent("skill.published", { id, name, scope: target.scope }, { id: version.id, label: version.label }),
    });
  const signed = async (id: string): Promise<NewVersion> => ({
    ...{ ...version, skillId: id },
    attestation: await signVersion(context.settings, {
      ...{ skillId: id, name, scope: scopeInLog(target.scope), versionId: version.id, label: version.label },
      ...{ zipSha256: version.zipSha256, source: version.source, provenance: version.provenance },
      ...{ publishedAt: version.startedAt, signedLaterAt: null },
      review: approval === null ? null : { id: approval.review.id, reviewers: approval.reviewers },
    }),
  });
  if (skillId !== null && isBeside) return insertInactive(recorded(skillId), target, await signed(skillId), answer);
  if (skillId !== null)
    return insertVersion(recorded(skillId), { scope: target.scope, name }, await signed(skillId), answer);
  if (target.id !== undefined) throw skillNotFound();
  const { scope, namespace, userId } = target;
  const id = context.newId("skl");
  const skill = { id, scope, name, folded: foldName(name), namespace, userId, versionId: version.id };
  return insertSkill(recorded(id), skill, await signed(id), answer, title);
}

/** Compares the content of the request instead of its bytes, because a retry has another multipart boundary. */
async function repeatOf(context: Context, request: PublishRequest, uploadSha256: string): Promise<Repeat | null> {
  if (request.idempotencyKey === null) return null;
  const { scope, id } = request.target;
  const { source = null, vendor, keepsCurrent } = request;
  const terms = vendor === undefined && keepsCurrent !== true ? [] : [{ ...vendor, keepsCurrent }];
  const what = [scope, id ?? null, request.name ?? null, request.fileName ?? null, uploadSha256, ...terms];
  const asked = JSON.stringify(source === null ? what : [...what, { ...source, taken_at: null }]);
  return {
    userId: context.caller.principal.userId,
    key: request.idempotencyKey,
    request: await sha256Hex(asked),
    since: context.now() - DURATIONS.idempotency,
  };
}

/** Returns the response stored under the request's key, if any. */
async function answerAgain(context: Context, repeat: Repeat): Promise<Published | null> {
  const known = await readReply(context.db, repeat.userId, repeat.key, repeat.since);
  return known === null ? null : answerBy(context, repeat, known);
}

async function answerBy(context: Context, repeat: Repeat, known: StoredReply): Promise<Published> {
  if (known.request !== repeat.request) {
    const message = "The Idempotency-Key was already used with another request. Use a new key.";
    throw new GatewayError("conflict", "IDEMPOTENCY_KEY_REUSED", message);
  }
  const [skill, evals] = await Promise.all([
    readSkillAt(context.db, known.subject),
    readComparisonOf(context.db, known.subject),
  ]);
  // Created under this key and deleted since.
  if (skill === null) throw skillNotFound();
  return { status: known.status === 201 ? 201 : 200, skill: withRegressions(skill, evals), routing: null };
}

/** Equal content changes nothing. If an earlier version has it, the response says so, because the upload did not activate it. */
async function answerExisting(
  context: Context,
  versionId: string,
  repeat: Repeat | null,
  evals: EvalComparison,
): Promise<Published> {
  const skill = await readSkillAt(context.db, versionId);
  if (skill === null) throw skillNotFound();
  if (repeat !== null) {
    try {
      await keepReply(context.db, { ...repeat, status: 200, subject: versionId });
    } catch (error) {
      if (constraintOf(error) === null) throw error;
      const answered = await answerAgain(context, repeat);
      if (answered !== null) return answered;
    }
  }
  return { status: 200, skill: withRegressions(skill, evals), routing: null };
}

/** What the log says about the origin of a version of a trusted publisher. */
function publisherInLog({ publisher, repository, commit }: Provenance) {
  return { publisher, repository: repository ?? null, commit: commit ?? null };
}

/** The error for a skill that the publisher's key cannot publish. */
function skillNotAllowed(name: string): GatewayError {
  const message = `The publisher cannot publish the skill '${name}'. Add the name to the publisher's \`skills\`.`;
  return new GatewayError("forbidden", "SKILL_NOT_ALLOWED", message);
}

export interface VendorTerms {
  /** An existing skill is a conflict instead of a new version. */
  isNew?: boolean;
  /** Display title of the skill. */
  title?: string | null;
}

/** Whether a version is published without activating it. A skill without a current version always gets one. */
function isPublishedInactive({ keepsCurrent }: PublishRequest, { skill }: PublishState): boolean {
  return keepsCurrent === true && skill !== null && skill.versionId !== "";
}

/** The error for a new skill whose name is taken. */
function skillExists({ id, name }: { id: string; name: string }): GatewayError {
  const message = `A skill '${name}' already exists. Publish a new version of it.`;
  return new GatewayError("conflict", "SKILL_EXISTS", message, { skill_id: id });
}
