// Publishing: bytes → package → object → rows. The batch of rows is the commit point. A failure before it leaves at most an
// object that nobody sees, and the sweep removes it. A failure after it leaves a finished publish, and a retry says so.

import { quotaOwnerOf } from "../../domain/access/quota";
import type { SkillSource } from "../../domain/catalog/source";
import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { readPackage } from "../../domain/package/package";
import { foldName } from "../../domain/package/path";
import type { SkillPackage } from "../../domain/package/skill";
import { constraintOf } from "../../storage/d1/database";
import { keepReply, type NewReply, readReply, type StoredReply } from "../../storage/d1/idempotency";
import { insertInactive } from "../../storage/d1/registry/insert-inactive";
import { type PublishState, readPublishState } from "../../storage/d1/registry/publish-state";
import { insertSkill, insertVersion } from "../../storage/d1/registry/publishing";
import type { NewVersion } from "../../storage/d1/registry/version-batch";
import { readSkillAt, type SkillRecord } from "../../storage/d1/skills";
import { putVersion } from "../../storage/r2/packages";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { countIfNew, countToday, requireBelowDailyLimit, requireRoomForSkill, todaysUse } from "../quota";
import { draftVersion } from "./draft-version";
import type { PublishTarget } from "./publish-target";
import { nameConflict, nameTaken, refusedPackage } from "./refused";
import type { RoutingReport } from "./routing";
import { skillNotFound, versionYanked } from "./skills";
import { isPublishedInactive, skillExists, type VendorTerms } from "./vendor-terms";

export interface PublishRequest {
  upload: Uint8Array;
  /** What the uploaded file was called, and the form's `name`. */
  fileName: string | undefined;
  name: string | undefined;
  target: PublishTarget;
  /** Stands beside the files in place of the version that they say. */
  label?: string | undefined;
  idempotencyKey: string | null;
  /** Where it is said to come from; kept with the version that this upload makes. */
  source?: SkillSource | null;
  vendor?: VendorTerms;
  /** MCP servers that come beside the package. */
  servers?: JsonObject;
}

/** 201 for a new version, 200 for content that is there already. */
export interface Published {
  status: 200 | 201;
  skill: SkillRecord;
  /** `null` also in an answer that is given again. */
  routing: RoutingReport | null;
}

/** A request that can be asked again: its key, and the answer it will have once there is one. */
type Repeat = Omit<NewReply, "status" | "subject">;

/** How often a publish that lost against another of the same skill looks again. Every round, one of them has won. */
const ROUNDS = 8;

/** Publishes an upload that the caller may write. Safe to retry at any point. */
export async function publish(context: Context, request: PublishRequest): Promise<Published> {
  const startedAt = context.now();
  const uploadSha256 = await sha256Hex(request.upload);
  const repeat = await repeatOf(context, request, uploadSha256);
  // One that may be asked again is looked for first: what was answered costs no more than that.
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
  const label = request.label ?? found.manifest.version ?? null;
  const labelled = { name: found.name, digest: found.digest, label };
  const holder = quotaOwnerOf(target.scope);
  // D1 may be far away: all that is asked before the package is stored is asked at one time.
  const drafting = awaitedLater(draftVersion(context, found, target, { uploadSha256, startedAt, label, source }));
  const first = await findState(context, labelled, target, {
    scope: holder === null ? null : target.scope,
    use: repeat === null ? todaysUse(context, "uploads") : null,
  });
  requireBelowDailyLimit(context, "uploads", first.count);
  const { version, rowBytes, code, routing } = await drafting;
  let stored = false;

  for (let round = 0; round < ROUNDS; round++) {
    const state = round === 0 ? first : await findState(context, labelled, target, NOTHING_ELSE);
    if (request.vendor?.isNew === true && state.skill !== null) throw skillExists(state.skill);
    const met = meet(labelled, target, state);
    // A caller without room left gets the answer for what is there already, too.
    if (met.versionId !== null) return { ...(await answerExisting(context, met.versionId, repeat)), routing };
    if (!stored) {
      const more = { isNew: met.skillId === null, bytes: version.zipSize, databaseBytes: rowBytes };
      if (holder !== null) requireRoomForSkill(context.settings, holder, first.used, more);
      const objects = { zip: found.zip, sha256: version.zipSha256, code };
      await putVersion(context.packages, context.timings, version.id, objects);
      stored = true;
    }
    try {
      const answer = repeat === null ? null : { ...repeat, status: 201, subject: version.id };
      const place = { target, skillId: met.skillId, isBeside: isPublishedInactive(request.vendor, state) };
      const skill = await commit(context, found, place, version, answer, request.vendor?.title ?? null);
      return { status: 201, skill, routing };
    } catch (error) {
      const constraint = constraintOf(error);
      if (constraint === null) throw error;
      if (constraint.includes("versions_in_time")) {
        throw new GatewayError("unavailable", "UNAVAILABLE", "Publishing took too long. Try again.");
      }
      // Somebody else was first, and nothing of ours was written: look at what is there now.
      const meanwhile = repeat === null ? null : await answerAgain(context, repeat);
      if (meanwhile !== null) return meanwhile;
    }
  }
  throw new GatewayError("conflict", "CONCURRENT_CHANGE", "The skill is being changed by others just now. Try again.");
}

/** Its failure is heard by whoever awaits it, and is nobody's before. */
function awaitedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  return work;
}

/** A package as far as it meets others: by its name, its content, and its label. */
type Labelled = Pick<SkillPackage, "name" | "digest"> & { label: string | null };

/** What is asked once, and not again in later rounds. */
const NOTHING_ELSE = { scope: null, use: null };

function findState(
  context: Context,
  { name, digest, label }: Labelled,
  target: PublishTarget,
  asked: Parameters<typeof readPublishState>[3],
): Promise<PublishState> {
  const which = target.id === undefined ? { scope: target.scope, folded: foldName(name) } : { id: target.id };
  return readPublishState(context.db, which, { digest, label }, asked);
}

/** What is there already: the skill to add to, and the version that has this content. Refuses what cannot go together. */
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
    throw versionYanked({ name, versionId: equal.id }, "Take the yank back, or change the content.");
  if (equal !== undefined) return { skillId: skill.id, versionId: equal.id };
  const [taken] = versions;
  if (taken === undefined) return { skillId: skill.id, versionId: null };
  throw new GatewayError("conflict", "VERSION_EXISTS", `Version ${label} of '${name}' exists with other content.`, {
    version: label,
    version_id: taken.id,
  });
}

async function commit(
  context: Context,
  { name }: SkillPackage,
  { target, skillId, isBeside }: { target: PublishTarget; skillId: string | null; isBeside: boolean },
  version: Omit<NewVersion, "skillId">,
  answer: NewReply | null,
  title: string | null,
): Promise<SkillRecord> {
  const after = {
    name,
    scope: scopeInLog(target.scope),
    version: version.label,
    version_id: version.id,
    digest: version.digest,
    ...(version.source === null ? {} : { source: version.source.url }),
  };
  const recorded = (id: string) => audited(context, "skill.publish", id, { after });
  if (skillId !== null && isBeside) return insertInactive(recorded(skillId), target, { ...version, skillId }, answer);
  if (skillId !== null)
    return insertVersion(recorded(skillId), { scope: target.scope, name }, { ...version, skillId }, answer);
  if (target.id !== undefined) throw skillNotFound();
  const { scope, namespace, userId } = target;
  const id = context.newId("skl");
  const skill = { id, scope, name, folded: foldName(name), namespace, userId, versionId: version.id };
  return insertSkill(recorded(id), skill, { ...version, skillId: id }, answer, title);
}

/** A retry may draw a new multipart boundary, so what is compared is what was asked and not how it was framed. */
async function repeatOf(context: Context, request: PublishRequest, uploadSha256: string): Promise<Repeat | null> {
  if (request.idempotencyKey === null) return null;
  const { scope, id } = request.target;
  const { source = null } = request;
  const terms = request.vendor === undefined ? [] : [request.vendor];
  const what = [scope, id ?? null, request.name ?? null, request.fileName ?? null, uploadSha256, ...terms];
  const asked = JSON.stringify(source === null ? what : [...what, { ...source, taken_at: null }]);
  return {
    userId: context.caller.principal.userId,
    key: request.idempotencyKey,
    request: await sha256Hex(asked),
    since: context.now() - DURATIONS.idempotency,
  };
}

/** The answer that was given under the request's key, if there is one. */
async function answerAgain(context: Context, repeat: Repeat): Promise<Published | null> {
  const known = await readReply(context.db, repeat.userId, repeat.key, repeat.since);
  return known === null ? null : answerBy(context, repeat, known);
}

async function answerBy(context: Context, repeat: Repeat, known: StoredReply): Promise<Published> {
  if (known.request !== repeat.request) {
    const message = "This Idempotency-Key was used for another request.";
    throw new GatewayError("conflict", "IDEMPOTENCY_KEY_REUSED", message);
  }
  const skill = await readSkillAt(context.db, known.subject);
  // Made under this key, and deleted since.
  if (skill === null) throw skillNotFound();
  return { status: known.status === 201 ? 201 : 200, skill, routing: null };
}

/** Equal content is a no-op. Where an earlier version has it the answer says so, since the upload did not bring it back. */
async function answerExisting(context: Context, versionId: string, repeat: Repeat | null): Promise<Published> {
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
  return { status: 200, skill, routing: null };
}
