// Implements the model vendors' Skills APIs on the registry: the skills of one scope for writing, and public skills for reading.

import { canRead, groupScope, namespaceOfScope, PUBLIC_SCOPE, userScope } from "../../domain/access/access";
import { createdAtOf, vendorSkillId, versionIdOf, versionNumberOf } from "../../domain/compat/vendor-ids";
import { GatewayError } from "../../domain/errors";
import {
  listVendorVersions,
  readVendorSkill,
  type VendorSkill,
  type VendorVersion,
  type VersionKey,
} from "../../storage/d1/compat/vendor-skills";
import type { Context } from "../context";
import type { Published, VendorTerms } from "../registry/publish";
import { activate, findSkillFor, publishScope, skillNotFound, versionNotFound } from "../registry/skills";
import { describeLater } from "../tools/describe-later";

/** The caller and scope of a vendor API request. */
export interface VendorScope {
  context: Context;
  scope: string;
}

/** A package from a form upload. */
export interface VendorUpload {
  bytes: Uint8Array;
  fileName: string | undefined;
  idempotencyKey: string | null;
}

/** Returns the caller's own scope or a group's. A group without the caller is reported as not found. */
export function vendorScope(context: Context, group: string | undefined): VendorScope {
  const { principal } = context.caller;
  const scope = group === undefined ? userScope(principal.userId) : groupScope(group);
  if (!canRead(principal, scope)) throw skillNotFound();
  return { context, scope };
}

/** Returns a readable skill: of this scope, or public. */
export async function findShown({ context, scope }: VendorScope, id: string | null): Promise<VendorSkill> {
  const skill = id === null ? null : await readVendorSkill(context.db, id);
  if (skill === null || (skill.scope !== scope && skill.scope !== PUBLIC_SCOPE)) throw skillNotFound();
  return skill;
}

/** Returns a writable skill of this scope. */
export async function findChangeable(place: VendorScope, id: string | null): Promise<VendorSkill> {
  const skill = await findShown(place, id);
  if (skill.scope === place.scope) return skill;
  const message = "Public skills are read-only here. An admin can change them at /api/v1/kinds/skills/public.";
  throw new GatewayError("forbidden", "READ_ONLY", message);
}

/** Publishes a new skill. A taken name is a conflict. */
export async function createVendorSkill(
  { context, scope }: VendorScope,
  upload: VendorUpload,
  title: string | null,
): Promise<VendorSkill> {
  const { userId } = context.caller.principal;
  const namespace = namespaceOfScope(scope);
  const target = { scope: publishScope(context.caller.principal, namespace), namespace, userId };
  try {
    const { skill } = await published(context, upload, target, { isNew: true, title });
    return await findShown({ context, scope }, skill.id);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.reason !== "SKILL_EXISTS") throw error;
    const known = vendorSkillId(String(error.details.skill_id));
    throw new GatewayError("conflict", error.reason, `${error.message} Its id is ${known}.`, { skill_id: known });
  }
}

/** Publishes another version of a skill. Content equal to an existing version activates that version. */
export async function createVendorVersion(
  place: VendorScope,
  id: string | null,
  upload: VendorUpload,
  { keepsCurrent = false }: { keepsCurrent?: boolean } = {},
): Promise<VendorVersion> {
  const { context, scope } = place;
  const { id: skillId, name } = await findChangeable(place, id);
  await findSkillFor(context, "change", skillId);
  const { skill } = await published(context, upload, { scope, id: skillId, name }, {}, keepsCurrent);
  if (!keepsCurrent && skill.currentId !== skill.versionId) await activate(context, skillId, skill.versionId);
  return findMeant(place, skillId, { id: skill.versionId });
}

/** The publishing module. Loaded lazily, because few requests need it. */
let publishing: typeof import("../registry/publish") | null = null;

async function published(
  context: Context,
  upload: VendorUpload,
  target: Parameters<typeof import("../registry/publish").publish>[1]["target"],
  vendor: VendorTerms,
  keepsCurrent = false,
): Promise<Published> {
  publishing ??= await import("../registry/publish");
  const { bytes, ...options } = upload;
  const done = await publishing.publish(context, {
    ...options,
    upload: bytes,
    name: undefined,
    target,
    vendor,
    keepsCurrent,
  });
  if (done.status === 201) describeLater(context, done.skill);
  return done;
}

/** Returns a version by id, `latest`, number, or the creation time used by the beta API. Yanked versions are not found. */
export async function findVendorVersion(
  place: VendorScope,
  skill: VendorSkill,
  text: string,
  by: "number" | "time",
): Promise<VendorVersion> {
  const key = by === "number" ? numberKey(text) : idKey(skill, text);
  if (key === null) throw versionNotFound();
  return findMeant(place, skill.id, key);
}

function numberKey(text: string): VersionKey | null {
  const number = versionNumberOf(text);
  return number === null ? null : { number };
}

function idKey({ currentId }: VendorSkill, text: string): VersionKey | null {
  if (text === "latest") return { id: currentId };
  const id = versionIdOf(text);
  return id === null ? createdAtOf(text) : { id };
}

async function findMeant({ context }: VendorScope, skillId: string, key: VersionKey): Promise<VendorVersion> {
  const [found] = await listVendorVersions(context.db, skillId, { order: "desc", limit: 1, key });
  if (found === undefined) throw versionNotFound();
  return found;
}
