// Lists what versions of a skill are permitted to do, and compares two versions.

import { canRead } from "../../domain/access/access";
import {
  type Permission,
  permissionChanges,
  permissionsOf,
  type SkillPermissions,
} from "../../domain/code/permissions";
import { type DeclaredVersion, readDeclaredVersion } from "../../storage/d1/versions";
import type { Context } from "../context";
import { findSkillHead, versionNotFound } from "./skills";

/** A version as responses name it. */
export interface NamedVersion {
  versionId: string;
  label: string | null;
}

export interface VersionPermissions {
  version: NamedVersion;
  permissions: SkillPermissions;
  /** The compared version, and the added and removed permissions. */
  changes: { base: NamedVersion; added: Permission[]; removed: Permission[] } | null;
}

/** Returns the permissions of a version, yanked or not. With `base`, also the changes from that version of the same skill. */
export async function readVersionPermissions(
  context: Context,
  id: string,
  version: string,
  base: string | undefined,
): Promise<VersionPermissions> {
  const [found, other] = await Promise.all([
    readDeclaredVersion(context.db, id, version),
    base === undefined ? null : readDeclaredVersion(context.db, id, base),
  ]);
  const isReadable = (one: DeclaredVersion | null) =>
    one !== null && canRead(context.caller.principal, one.scope) ? one : null;
  const [asked, older] = [isReadable(found), isReadable(other)];
  if (asked === null || (base !== undefined && older === null)) {
    await findSkillHead(context, id);
    throw versionNotFound();
  }
  const { CODE_SCOPES: codeScopes } = context.settings;
  const permissions = permissionsOf(asked, codeScopes);
  const before = older === null ? null : permissionsOf(older, codeScopes);
  const changes =
    older === null || before === null ? null : { base: nameOf(older), ...permissionChanges(before, permissions) };
  return { version: nameOf(asked), permissions, changes };
}

function nameOf({ versionId, label }: NamedVersion): NamedVersion {
  return { versionId, label };
}
