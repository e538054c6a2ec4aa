// Converts skills and versions to the format of Anthropic's Skills API.

import { PUBLIC_SCOPE } from "../../domain/access/access";
import { microsecondsOf, vendorSkillId, vendorVersionId } from "../../domain/compat/vendor-ids";
import { instant } from "../../edge/schemas";
import type { VendorSkill, VendorVersion } from "../../storage/d1/compat/vendor-skills";

/** Generally available, or beta. */
export type VendorApiShape = "ga" | "beta";

export function anthropicSkill(skill: VendorSkill, shape: VendorApiShape): object {
  const { id, name, scope, title, displayName, createdAt, updatedAt, versionId, number, publishedAt } = skill;
  const times = { created_at: instant(createdAt), updated_at: instant(updatedAt) };
  const source = scope === PUBLIC_SCOPE ? "anthropic" : "custom";
  const resource = { id: vendorSkillId(id), type: "skill", ...times };
  if (shape === "beta") {
    const latest = skill.currentId === "" ? null : microsecondsOf({ createdAt: publishedAt, number });
    return { ...resource, display_title: title ?? displayName, latest_version: latest, source };
  }
  // Always set, as in the vendor's API: if all versions are deleted, the newest.
  const shown = { display_name: title ?? displayName ?? name, latest_version_id: vendorVersionId(versionId) };
  return { ...resource, ...shown, source: { type: source } };
}

export function anthropicVersion(version: VendorVersion, shape: VendorApiShape): object {
  const { id, skillId, name, description, createdAt } = version;
  const resource = { type: "skill_version", skill_id: vendorSkillId(skillId), name, description };
  const made = { created_at: instant(createdAt) };
  if (shape === "ga") return { id: vendorVersionId(id), ...resource, ...made };
  return { id: vendorVersionId(id, true), ...resource, version: microsecondsOf(version), directory: name, ...made };
}

/** Returns a deleted version's identifier: its id, or its time in the beta API. */
export function deletedVersionId(version: VendorVersion, shape: VendorApiShape): string {
  return shape === "beta" ? microsecondsOf(version) : vendorVersionId(version.id);
}
