// Manages the open list. Admins only, and only public skills: otherwise writers of a group could publish to the world.

import { PUBLIC_SCOPE } from "../../domain/access/access";
import { COMPAT_LIMITS } from "../../domain/compat/limits";
import { GatewayError } from "../../domain/errors";
import { deleteOpen, insertOpen, listOpen, type OpenSkill, readOpen } from "../../storage/d1/compat/open-skills";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { findSkillHead, skillNotFound } from "../registry/skills";

/** Returns the whole list by name. */
export async function readOpenList(context: Context): Promise<OpenSkill[]> {
  requireAdmin(context.caller.principal);
  return listOpen(context.db);
}

/** Opens a public skill to everybody. Idempotent. */
export async function openSkill(context: Context, skillId: string): Promise<OpenSkill> {
  const { principal } = context.caller;
  requireAdmin(principal);
  const skill = await findSkillHead(context, skillId);
  if (skill.scope !== PUBLIC_SCOPE) {
    const message = `Skill '${skill.name}' is not public. Publish it with POST /api/v1/kinds/skills/public first.`;
    throw new GatewayError("conflict", "SKILL_NOT_PUBLIC", message);
  }
  const known = await readOpen(context.db, skillId);
  if (known !== null) return known;
  const recorded = audited(context, "skill.open", skillId, { after: { name: skill.name }, when: "is" });
  await insertOpen(recorded, skillId, principal.userId, COMPAT_LIMITS.openSkills);
  const opened = await readOpen(context.db, skillId);
  if (opened !== null) return opened;
  const message = `The open list is full (limit ${COMPAT_LIMITS.openSkills} skills). Remove a skill first.`;
  throw new GatewayError("conflict", "OPEN_LIST_FULL", message, { limit: COMPAT_LIMITS.openSkills });
}

/** Removes a skill from the list. Within a minute, it can no longer be read without a key. */
export async function closeSkill(context: Context, skillId: string): Promise<void> {
  requireAdmin(context.caller.principal);
  const known = await readOpen(context.db, skillId);
  if (known === null) throw skillNotFound();
  const change = { before: { name: known.name }, when: "was" } as const;
  if (!(await deleteOpen(audited(context, "skill.close", skillId, change), skillId))) throw skillNotFound();
}
