// An admin's verdict on a version: whether the doors for other clients hand it out. Nothing else makes one.

import { authorOfDrafts } from "../../domain/access/access";
import { GatewayError } from "../../domain/errors";
import { deleteBlock, putBlock, readBlock } from "../../storage/d1/compat/version-blocks";
import { readSkillAt } from "../../storage/d1/skills";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { skillNotFound, versionNotFound } from "../registry/skills";

export interface VersionVerdict {
  versionId: string;
  /** Why it is blocked; `null`: it is not. */
  reason: string | null;
}

/**
 * Blocks a version of anybody's skill, or takes that back: somebody must be able to end what does harm. Conversations go on with it; what
 * ends it there is yanking.
 */
export async function putVerdict(
  context: Context,
  skillId: string,
  versionId: string,
  reason: string | null,
): Promise<VersionVerdict> {
  const { principal } = context.caller;
  requireAdmin(principal);
  const version = await readSkillAt(context.db, versionId);
  if (version === null || version.id !== skillId || authorOfDrafts(version.scope) !== null) throw versionNotFound();
  const known = (await readBlock(context.db, versionId))?.reason ?? null;
  if (known === reason) return { versionId, reason };
  const told = (why: string | null) => ({ version_id: versionId, blocked: why !== null, reason: why });
  const recorded = audited(context, "skill.verdict", skillId, { before: told(known), after: told(reason), when: "is" });
  if (reason === null) await deleteBlock(recorded, versionId);
  else if ((await putBlock(recorded, versionId, reason, principal.userId)) === null) throw skillNotFound();
  return { versionId, reason };
}

/** Refuses to hand out a version that an admin has blocked. */
export async function requireUnblocked({ db }: Pick<Context, "db">, versionId: string): Promise<void> {
  const block = await readBlock(db, versionId);
  if (block !== null) throw versionBlocked(block.reason);
}

/** The refusal of a blocked version, where it is no secret that it is there. */
export function versionBlocked(reason: string): GatewayError {
  return new GatewayError("forbidden", "VERSION_BLOCKED", `An admin has blocked this version: ${reason}`);
}
