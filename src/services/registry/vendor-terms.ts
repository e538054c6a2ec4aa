// Options of publishing that only vendors' APIs use.

import { GatewayError } from "../../domain/errors";
import type { PublishState } from "../../storage/d1/registry/publish-state";

export interface VendorTerms {
  /** An existing skill is a conflict instead of a new version. */
  isNew?: boolean;
  /** Display title of the skill. */
  title?: string | null;
  /** Does not activate the new version if there is a current one. */
  keepsCurrent?: boolean;
}

/** Whether a version is published without activating it. A skill without a current version always gets one. */
export function isPublishedInactive(terms: VendorTerms | undefined, { skill }: PublishState): boolean {
  return terms?.keepsCurrent === true && skill !== null && skill.versionId !== "";
}

/** The error for a new skill whose name is taken. */
export function skillExists({ id, name }: { id: string; name: string }): GatewayError {
  const message = `A skill '${name}' already exists. Publish a new version of it.`;
  return new GatewayError("conflict", "SKILL_EXISTS", message, { skill_id: id });
}
