// Operations on one skill: reading it, its versions and files, activating and yanking versions.

import * as z from "zod";
import {
  type Action,
  canRead,
  groupOfScope,
  may,
  type Principal,
  PUBLIC_SCOPE,
  roleFor,
  scopeOfNamespace,
} from "../../domain/access/access";
import { requireFreshSignIn } from "../../domain/console/dangerous";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { skillEvent } from "../../domain/webhooks/webhooks";
import { readComparisonOf } from "../../storage/d1/registry/evals";
import { activateVersion, unyankVersion, yankVersion } from "../../storage/d1/registry/publishing";
import {
  readSkill,
  readSkillAt,
  readSkillHead,
  readSuccessor,
  type SkillHead,
  type SkillRecord,
} from "../../storage/d1/skills";
import { listVersions, type PackageRow, readVersionPackage, type VersionSummary } from "../../storage/d1/versions";
import { openPackageRange } from "../../storage/r2/packages";
import { roleTooLow } from "../access/groups";
import { adminOnlyError } from "../admin";
import { audited } from "../audit";
import { restrictedFilesError, restrictionReason } from "../catalog/restricted-files";
import type { Context } from "../context";
import { withRegressions } from "./regressions";
import { isReviewRequired, requireReviewed } from "./reviewed";

/** Number of attempts of a yank against concurrent changes of the skill. */
const ROUNDS = 8;

const versionCursor = z.object({ createdAt: z.number(), id: z.string() });

export function skillNotFound(): GatewayError {
  return new GatewayError("not_found", "SKILL_NOT_FOUND", "Skill not found. Check the id or name.");
}

/** Returns the scope of a namespace. A group without the caller is reported as not found. */
export function scopeNamed(principal: Principal, namespace: string): string {
  const scope = scopeOfNamespace(principal, namespace);
  if (scope === null) throw namespaceNotFound();
  return scope;
}

export function namespaceNotFound(): GatewayError {
  return new GatewayError("not_found", "NAMESPACE_NOT_FOUND", "Namespace not found. Check the name.");
}

/** Throws if the caller sees a scope but cannot perform the action. */
export function requireRight(principal: Principal, action: Action, scope: string): void {
  if (may(principal, action, scope)) {
    if (scope === PUBLIC_SCOPE && action !== "read" && action !== "measure") requireFreshSignIn(principal);
    return;
  }
  const group = groupOfScope(scope);
  if (group === null)
    throw adminOnlyError(
      `Only admins can ${action === "measure" ? "see the usage of" : "change"} public skills. Use an admin's key.`,
    );
  throw roleTooLow(group, roleFor(action));
}

/** Returns the scope of a namespace where the caller can publish. */
export function publishScope(principal: Principal, namespace: string): string {
  const scope = scopeNamed(principal, namespace);
  requireRight(principal, "publish", scope);
  return scope;
}

/** Returns a skill that the caller can read. Others are reported as not found. */
export async function findSkill(context: Context, id: string): Promise<SkillRecord> {
  const skill = await readSkill(context.db, id);
  if (skill === null || !canRead(context.caller.principal, skill.scope)) throw skillNotFound();
  return skill;
}

/** Like `findSkill`, without its content. */
export async function findSkillHead(context: Context, id: string): Promise<SkillHead> {
  const skill = await readSkillHead(context.db, id);
  if (skill === null || !canRead(context.caller.principal, skill.scope)) throw skillNotFound();
  return skill;
}

/** Returns a skill on which the caller can perform the action. */
export async function findSkillFor(context: Context, action: Action, id: string): Promise<SkillHead> {
  const skill = await findSkillHead(context, id);
  requireRight(context.caller.principal, action, skill.scope);
  return skill;
}

/** Like `findSkillFor`, for public skills. Others are reported as not found. */
export async function findPublicSkillFor(context: Context, action: Action, id: string): Promise<SkillHead> {
  const skill = await readSkillHead(context.db, id);
  if (skill?.scope !== PUBLIC_SCOPE) throw skillNotFound();
  requireRight(context.caller.principal, action, skill.scope);
  return skill;
}

/** Returns the package of a version by id or label; without `version`, of the current version. */
export async function findPackage(context: Context, id: string, version?: string): Promise<PackageRow> {
  const found = await readVersionPackage(context.db, id, version);
  if (found !== null && canRead(context.caller.principal, found.scope)) {
    const reason = restrictionReason(context, found.scope, found.servers);
    if (reason !== null) throw restrictedFilesError(reason);
    return found;
  }
  await findSkillHead(context, id);
  throw versionNotFound();
}

/** Opens bytes of a package. Rows are deleted before objects, so a missing object means a deleted skill. */
export async function openBytes(context: Context, versionId: string, offset: number, length: number) {
  const body = await openPackageRange(context.packages, context.timings, versionId, offset, length);
  if (body === null) {
    console.error(JSON.stringify({ event: "package_missing", version_id: versionId }));
    throw skillNotFound();
  }
  return body;
}

/** Returns the versions of a skill, newest first. */
export async function readVersions(
  context: Context,
  id: string,
  limit: number,
  cursor: string | undefined,
): Promise<{ skill: SkillHead; versions: VersionSummary[]; nextCursor: string | null }> {
  const skill = await findSkillHead(context, id);
  const rows = await listVersions(context.db, id, limit + 1, decodeCursor(cursor, versionCursor));
  const { page, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
  return { skill, versions: page, nextCursor };
}

/** Makes a version current. */
export async function activate(context: Context, id: string, versionId: string): Promise<SkillRecord> {
  const skill = await findSkillFor(context, "activate", id);
  const [version, mustBeReviewed, evals] = await Promise.all([
    findVersion(context, skill, versionId),
    isReviewRequired(context, skill.scope),
    readComparisonOf(context.db, versionId),
  ]);
  if (version.versionId === version.currentId) return version;
  if (version.yankedAt !== null) throw versionYanked(version, "Unyank it before you make it the current version.");
  if (mustBeReviewed) await requireReviewed(context, skill.scope, versionId);
  const [before, after] = [{ version_id: version.currentId }, { version_id: version.versionId }];
  const event = skillEvent("skill.activated", skill, { id: version.versionId, label: version.label });
  const change = { before, after, event, when: { version: version.versionId, yanked: false } } as const;
  const active = await activateVersion(audited(context, "skill.activate", id, change), version);
  if (active !== null) return withRegressions(active, evals);
  if ((await readSkillHead(context.db, id)) === null) throw skillNotFound();
  throw versionYanked(version, "Unyank it before you make it the current version.");
}

/**
 * Yanks a version: names and ranges no longer resolve to it, and conversations that use it lose it at their next step. It stays readable by
 * id. If it is current, the newest other version becomes current; where reviews are required, the newest reviewed one. Idempotent.
 *
 * @param consent throws if the version must not be yanked in its present state
 */
export async function yank(
  context: Context,
  id: string,
  versionId: string,
  consent: (stands: { isCurrent: boolean; isLast: boolean }) => void = () => {},
): Promise<SkillRecord> {
  const skill = await findSkillFor(context, "activate", id);
  for (let round = 0; round < ROUNDS; round++) {
    const [version, onlyReviewed] = await Promise.all([
      findVersion(context, skill, versionId),
      isReviewRequired(context, skill.scope),
    ]);
    if (version.yankedAt !== null) return findSkill(context, id);
    const next = await readSuccessor(context.db, id, versionId, onlyReviewed);
    consent({ isCurrent: version.currentId === versionId, isLast: next === null });
    const current = version.currentId === versionId ? (next?.versionId ?? null) : version.currentId;
    const after = { version: version.label, version_id: versionId, current_version_id: current };
    const event = skillEvent("skill.yanked", skill, { id: versionId, label: version.label });
    const recorded = audited(context, "skill.yank", id, { after, event, when: { version: versionId, yanked: true } });
    if (await yankVersion(recorded, version, next, onlyReviewed)) return findSkill(context, id);
  }
  throw new GatewayError("conflict", "CONCURRENT_CHANGE", "The skill is being changed by another request. Try again.");
}

/** Reverts a yank. The version becomes current only if there is no other, and if it was reviewed where reviews are required. */
export async function unyank(context: Context, id: string, versionId: string): Promise<SkillRecord> {
  const skill = await findSkillFor(context, "activate", id);
  const [version, onlyReviewed] = await Promise.all([
    findVersion(context, skill, versionId),
    isReviewRequired(context, skill.scope),
  ]);
  if (version.yankedAt !== null) {
    const after = { version: version.label, version_id: versionId };
    const event = skillEvent("skill.unyanked", skill, { id: versionId, label: version.label });
    const recorded = audited(context, "skill.unyank", id, {
      after,
      event,
      when: { version: versionId, yanked: false },
    });
    await unyankVersion(recorded, version, onlyReviewed);
  }
  return findSkill(context, id);
}

/** Returns a version of this skill, yanked or not. */
async function findVersion(context: Context, skill: SkillHead, versionId: string): Promise<SkillRecord> {
  const version = await readSkillAt(context.db, versionId);
  if (version === null || version.id !== skill.id) throw versionNotFound();
  return version;
}

/** The error for operations that would activate a yanked version indirectly. */
export function versionYanked({ name, versionId }: { name: string; versionId: string }, advice: string): GatewayError {
  const message = `Version ${versionId} of '${name}' is yanked. ${advice}`;
  return new GatewayError("conflict", "VERSION_YANKED", message, { version_id: versionId });
}

export function versionNotFound(): GatewayError {
  return new GatewayError("not_found", "VERSION_NOT_FOUND", "Version not found. Check the id or label.");
}
