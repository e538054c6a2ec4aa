// How vendors' APIs publish, where that is not as ours does.

import { GatewayError } from "../../domain/errors";
import type { PublishState } from "../../storage/d1/registry/publish-state";

export interface VendorTerms {
  /** A skill that is there already is a conflict, and gets no other version. */
  isNew?: boolean;
  /** What the skill is called for people. */
  title?: string | null;
  /** A skill that has a current version keeps it. */
  keepsCurrent?: boolean;
}

/** Whether a version is to lie beside the current one. A skill that has none gets one, whatever was asked. */
export function isPublishedInactive(terms: VendorTerms | undefined, { skill }: PublishState): boolean {
  return terms?.keepsCurrent === true && skill !== null && skill.versionId !== "";
}

/** The refusal of a new skill whose name is taken. */
export function skillExists({ id, name }: { id: string; name: string }): GatewayError {
  const message = `There is a skill '${name}' already. Publish another version of it.`;
  return new GatewayError("conflict", "SKILL_EXISTS", message, { skill_id: id });
}
