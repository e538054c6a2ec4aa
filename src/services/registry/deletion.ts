// Deletes a skill, lists the ghosts that refer to it, and removes it from them.

import {
  authorOfDrafts,
  canDeleteSkill,
  canRead,
  definableScopes,
  isAdmin,
  PUBLIC_SCOPE,
  scopesThatBlockDeletion,
  visibleScopes,
} from "../../domain/access/access";
import { ABOUT } from "../../domain/access/audit";
import { GatewayError } from "../../domain/errors";
import { skillEvent } from "../../domain/webhooks/webhooks";
import { type GhostRef, readReferences, removeReferences } from "../../storage/d1/registry/ghost-references";
import { deleteSkillRows } from "../../storage/d1/registry/publishing";
import { readSkillHead, type SkillHead } from "../../storage/d1/skills";
import { deletePackages, packageKeys } from "../../storage/r2/packages";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { deleteAnyDraft } from "./drafts";
import { findOwnGhost } from "./ghosts";
import { findSkillHead, requireRight, skillNotFound } from "./skills";

/** Ghosts that refer to a skill: those the caller can read, and the number of others. */
export interface References {
  referenced_ghosts: GhostRef[];
  hidden_count: number;
}

/**
 * Deletes a skill unless a ghost that the caller could change refers to it. Private ghosts of others do not prevent the deletion: their
 * conversations show a warning. A public skill is protected by every ghost, unless an admin forces the deletion.
 */
export async function deleteSkill(context: Context, id: string, force: boolean): Promise<void> {
  const { principal } = context.caller;
  const skill = await findSkillToDelete(context, id);
  if (authorOfDrafts(skill.scope) !== null) return deleteAnyDraft(context, id);
  const insists = force && isAdmin(principal);
  const holding = skill.scope === PUBLIC_SCOPE ? "all" : scopesThatBlockDeletion(principal, skill.scope);
  const versionIds = await deleteSkillRows(deletionOf(context, skill, insists), skill, insists ? [] : holding);
  if (versionIds === null) {
    if ((await readSkillHead(context.db, id)) === null) throw skillNotFound();
    throw await stillUsed(context, skill);
  }
  try {
    await deletePackages(context.packages, context.timings, versionIds.flatMap(packageKeys));
  } catch (error) {
    // The skill is deleted already. The remaining object is logged by `guarded` and deleted by the sweep.
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Returns the ghosts that refer to a skill. */
export async function readSkillReferences(
  context: Context,
  id: string,
): Promise<References & { skill_id: string; skill_name: string }> {
  const skill = await findSkillHead(context, id);
  return { skill_id: skill.id, skill_name: skill.name, ...(await referencesTo(context, id)) };
}

/** Removes a skill from the ghosts that the caller can change. */
export async function removeSkillReferences(context: Context, id: string): Promise<GhostRef[]> {
  await findSkillHead(context, id);
  const scopes = definableScopes(context.caller.principal);
  return removeReferences(audited(context, "skill.remove_references", id), scopes, id);
}

/** Removes a skill from one ghost. Returns the ghost's name. */
export async function removeSkillReference(context: Context, id: string, ghostId: string): Promise<string> {
  const skill = await findSkillHead(context, id);
  const ghost = await findOwnGhost(context, ghostId);
  const [taken] = await removeReferences(
    audited(context, "skill.remove_references", id, { after: { ghost_id: ghostId } }),
    [ghost.scope],
    id,
    ghostId,
  );
  if (taken !== undefined) return taken.name;
  throw new GatewayError(
    "invalid",
    "NOT_REFERENCED",
    `The agent (ghost) '${ghost.name}' does not use the skill '${skill.name}'. Check both ids.`,
  );
}

/** Returns a skill that the caller can delete. An admin can delete skills that only others see, without reading them. */
async function findSkillToDelete(context: Context, id: string): Promise<SkillHead> {
  const { principal } = context.caller;
  const skill = await readSkillHead(context.db, id);
  if (skill === null) throw skillNotFound();
  if (canDeleteSkill(principal, skill)) return skill;
  if (!canRead(principal, skill.scope)) throw skillNotFound();
  requireRight(principal, "delete", skill.scope);
  return skill;
}

/** Returns the database that also records the deletion; for skills the caller does not see, including their owner. */
function deletionOf(context: Context, { id, name, scope, userId }: SkillHead, forced: boolean) {
  const before = { name, scope: scopeInLog(scope) };
  const after = { force: forced };
  const event = skillEvent("skill.deleted", { id, name, scope }, null);
  if (canRead(context.caller.principal, scope))
    return audited(context, "skill.delete", id, { before, after, event, when: "gone" });
  const change = { before: { ...before, user_id: ABOUT }, after: { ...after, moderated: true }, about: userId };
  return audited(context, "skill.delete", id, { ...change, event, when: "gone" });
}

async function stillUsed(context: Context, { id, name }: SkillHead): Promise<GatewayError> {
  const { referenced_ghosts, hidden_count } = await referencesTo(context, id);
  return new GatewayError(
    "conflict",
    "SKILL_REFERENCED",
    `The skill '${name}' is used by agents (ghosts). Remove it from them first.`,
    {
      skill_name: name,
      referenced_ghosts: referenced_ghosts.map((ghost) => ({ ...ghost })),
      hidden_count,
    },
  );
}

async function referencesTo(context: Context, skillId: string): Promise<References> {
  const { seen, others } = await readReferences(context.db, visibleScopes(context.caller.principal), skillId);
  return { referenced_ghosts: seen, hidden_count: others };
}
