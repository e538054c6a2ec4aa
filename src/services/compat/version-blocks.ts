// Lets admins block versions from being served to clients of other registries.

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
  /** Reason of the block; `null`: not blocked. */
  reason: string | null;
}

/** Blocks or unblocks a version of any skill. Conversations continue to use a blocked version; yanking removes it there. */
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
  const blockState = (why: string | null) => ({ version_id: versionId, blocked: why !== null, reason: why });
  const recorded = audited(context, "skill.verdict", skillId, {
    before: blockState(known),
    after: blockState(reason),
    when: "is",
  });
  if (reason === null) await deleteBlock(recorded, versionId);
  else if ((await putBlock(recorded, versionId, reason, principal.userId)) === null) throw skillNotFound();
  return { versionId, reason };
}

/** Throws if an admin has blocked the version. */
export async function requireUnblocked({ db }: Pick<Context, "db">, versionId: string): Promise<void> {
  const block = await readBlock(db, versionId);
  if (block !== null) throw versionBlocked(block.reason);
}

/** The error for a blocked version whose existence is not secret. */
export function versionBlocked(reason: string): GatewayError {
  return new GatewayError(
    "forbidden",
    "VERSION_BLOCKED",
    `This version was blocked by an admin: ${reason.replace(/[.!]$/, "")}. Use another version.`,
  );
}
