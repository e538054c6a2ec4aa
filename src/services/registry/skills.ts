// One skill at a time: reading it, its versions and files, making another version current.

import * as z from "zod";
import {
  type Action,
  canRead,
  groupOfScope,
  may,
  type Principal,
  roleFor,
  scopeOfNamespace,
} from "../../domain/access/access";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { activateVersion } from "../../storage/d1/publishing";
import { readSkill, readSkillAt, readSkillHead, type SkillHead, type SkillRecord } from "../../storage/d1/skills";
import { listVersions, type PackageRow, readVersionPackage, type VersionSummary } from "../../storage/d1/versions";
import { openPackageRange } from "../../storage/r2/packages";
import { roleTooLow } from "../access/groups";
import { adminOnly } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";

const versionCursor = z.object({ createdAt: z.number(), id: z.string() });

export function skillNotFound(): GatewayError {
  return new GatewayError("not_found", "SKILL_NOT_FOUND", "There is no such skill.");
}

/** The scope that a namespace stands for; one that the caller is not in does not exist for it. */
export function scopeNamed(principal: Principal, namespace: string): string {
  const scope = scopeOfNamespace(principal, namespace);
  if (scope === null) throw namespaceNotFound();
  return scope;
}

export function namespaceNotFound(): GatewayError {
  return new GatewayError("not_found", "NAMESPACE_NOT_FOUND", "There is no such namespace.");
}

/** Refuses where the caller sees a scope but may not do this there. */
export function requireRight(principal: Principal, action: Action, scope: string): void {
  if (may(principal, action, scope)) return;
  const group = groupOfScope(scope);
  if (group === null) throw adminOnly("Only an admin may change what is public.");
  throw roleTooLow(group, roleFor(action));
}

/** The scope that a namespace stands for, where the caller may publish. */
export function publishScope(principal: Principal, namespace: string): string {
  const scope = scopeNamed(principal, namespace);
  requireRight(principal, "publish", scope);
  return scope;
}

/** A skill that the caller may read; another's is as absent as one that never was. */
export async function findSkill(context: Context, id: string): Promise<SkillRecord> {
  const skill = await readSkill(context.db, id);
  if (skill === null || !canRead(context.caller.principal, skill.scope)) throw skillNotFound();
  return skill;
}

/** The same, without what the skill says. */
export async function findSkillHead(context: Context, id: string): Promise<SkillHead> {
  const skill = await readSkillHead(context.db, id);
  if (skill === null || !canRead(context.caller.principal, skill.scope)) throw skillNotFound();
  return skill;
}

/** A skill that the caller may do this to. */
export async function findSkillFor(context: Context, action: Action, id: string): Promise<SkillHead> {
  const skill = await findSkillHead(context, id);
  requireRight(context.caller.principal, action, skill.scope);
  return skill;
}

/** The package of a version, by its id or its label; without one of the current version. */
export async function findPackage(context: Context, id: string, version?: string): Promise<PackageRow> {
  const found = await readVersionPackage(context.db, id, version);
  if (found !== null && canRead(context.caller.principal, found.scope)) return found;
  await findSkillHead(context, id);
  throw versionNotFound();
}

/** Opens bytes of a package. The rows of a deleted skill go before its object, so without an object there is no skill. */
export async function openBytes(context: Context, versionId: string, offset: number, length: number) {
  const body = await openPackageRange(context.packages, context.timings, versionId, offset, length);
  if (body === null) {
    console.error(JSON.stringify({ event: "package_missing", version_id: versionId }));
    throw skillNotFound();
  }
  return body;
}

/** The versions of a skill, newest first. */
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

/** Makes a version of a skill the current one. */
export async function activate(context: Context, id: string, versionId: string): Promise<SkillRecord> {
  const skill = await findSkillFor(context, "activate", id);
  const version = await readSkillAt(context.db, versionId);
  if (version === null || version.id !== skill.id) throw versionNotFound();
  if (version.versionId === version.currentId) return version;
  const [before, after] = [{ version_id: version.currentId }, { version_id: version.versionId }];
  const active = await activateVersion(audited(context, "skill.activate", id, { before, after, when: "was" }), version);
  if (active === null) throw skillNotFound();
  return active;
}

function versionNotFound(): GatewayError {
  return new GatewayError("not_found", "VERSION_NOT_FOUND", "The skill has no such version.");
}
