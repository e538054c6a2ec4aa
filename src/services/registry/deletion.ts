// Deleting a skill, and the ghosts that refer to it: who they are, and taking it out of them.

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
import { type GhostRef, readReferences, removeReferences } from "../../storage/d1/registry/ghost-references";
import { deleteSkillRows } from "../../storage/d1/registry/publishing";
import { readSkillHead, type SkillHead } from "../../storage/d1/skills";
import { deletePackages, packageKeys } from "../../storage/r2/packages";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { deleteAnyDraft } from "./drafts";
import { findOwnGhost } from "./ghosts";
import { findSkillHead, requireRight, skillNotFound } from "./skills";

/** Ghosts that refer to a skill: those the caller may read, and how many others there are. */
export interface References {
  referenced_ghosts: GhostRef[];
  hidden_count: number;
}

/**
 * Deletes a skill, unless a ghost uses it that the caller could take it out of. What others use in private does not hold it: their
 * conversations warn of its absence. A public skill is held by every ghost; an admin may insist.
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
    // The skill is gone already. What R2 keeps now is an orphan like any other, logged by `guarded` and left to the sweep.
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Who refers to a skill. */
export async function readSkillReferences(
  context: Context,
  id: string,
): Promise<References & { skill_id: string; skill_name: string }> {
  const skill = await findSkillHead(context, id);
  return { skill_id: skill.id, skill_name: skill.name, ...(await referencesTo(context, id)) };
}

/** Takes a skill out of the ghosts that the caller may write. */
export async function removeSkillReferences(context: Context, id: string): Promise<GhostRef[]> {
  await findSkillHead(context, id);
  const scopes = definableScopes(context.caller.principal);
  return removeReferences(audited(context, "skill.remove_references", id), scopes, id);
}

/** The same for one ghost. Gives its name. */
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
    `The ghost '${ghost.name}' does not use the skill '${skill.name}'.`,
  );
}

/** A skill that the caller may delete. An admin deletes also what only others see, and still reads none of it. */
async function findSkillToDelete(context: Context, id: string): Promise<SkillHead> {
  const { principal } = context.caller;
  const skill = await readSkillHead(context.db, id);
  if (skill === null) throw skillNotFound();
  if (canDeleteSkill(principal, skill)) return skill;
  if (!canRead(principal, skill.scope)) throw skillNotFound();
  requireRight(principal, "delete", skill.scope);
  return skill;
}

/** The database for the deletion, which records it; of what the caller does not see also whose it was. */
function deletionOf(context: Context, { id, name, scope, userId }: SkillHead, forced: boolean) {
  const before = { name, scope: scopeInLog(scope) };
  const after = { force: forced };
  if (canRead(context.caller.principal, scope))
    return audited(context, "skill.delete", id, { before, after, when: "gone" });
  const told = { before: { ...before, user_id: ABOUT }, after: { ...after, moderated: true }, about: userId };
  return audited(context, "skill.delete", id, { ...told, when: "gone" });
}

async function stillUsed(context: Context, { id, name }: SkillHead): Promise<GatewayError> {
  const { referenced_ghosts, hidden_count } = await referencesTo(context, id);
  return new GatewayError(
    "conflict",
    "SKILL_REFERENCED",
    `Ghosts use the skill '${name}'; remove it from them first.`,
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
