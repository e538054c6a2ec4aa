// Creates, lists, renames and deletes groups. `members.ts` manages their members.

import * as z from "zod";
import { canManageGroup, canSeeGroup, type GroupRole, groupScope, isAdmin, roleIn } from "../../domain/access/access";
import { requireFreshSignIn } from "../../domain/console/dangerous";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { ACCESS_LIMITS } from "../../domain/limits";
import { foldName } from "../../domain/package/path";
import type { ReviewPolicy } from "../../domain/settings/settings";
import { isConstraintFailure } from "../../storage/d1/database";
import {
  deleteGroupRows,
  type GroupRow,
  hasSkillsOrGhosts,
  insertGroup,
  listGroups,
  readGroup,
  updateGroup,
} from "../../storage/d1/groups";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";

/** A group as its caller sees it, with the caller's role; `null` for an admin who is not a member. */
export type SeenGroup = GroupRow & { role: GroupRole | null };

const nameCursor = z.object({ name: z.string() });

export function groupNotFound(): GatewayError {
  return new GatewayError("not_found", "GROUP_NOT_FOUND", "Group not found. Check the name and your membership.");
}

/** Whether users can create groups. */
export function areGroupsOpen({ GROUPS_OPEN, JWT_GROUPS_CLAIM }: Context["settings"]): boolean {
  return GROUPS_OPEN && JWT_GROUPS_CLAIM === undefined;
}

/** Creates a group owned by the caller. Only admins can create groups if users cannot, or if token claims name groups. */
export async function createGroup(context: Context, name: string, displayName: string | null): Promise<SeenGroup> {
  const { principal } = context.caller;
  if (!areGroupsOpen(context.settings))
    requireAdmin(principal, "Only admins can create groups. The operator can set `GROUPS_OPEN=true`.");
  if (principal.groups.length >= ACCESS_LIMITS.groupsOfUser) throw tooManyGroups();
  // Skills and ghosts in this scope belong to a deleted group. A later group with the same name must not inherit them.
  if (!isAdmin(principal) && (await hasSkillsOrGhosts(context.db, groupScope(name)))) throw groupExists();
  try {
    const group = await insertGroup(
      audited(context, "group.create", name),
      { name, folded: foldName(name), displayName },
      principal.userId,
    );
    return { ...group, role: "Owner" };
  } catch (error) {
    throw isConstraintFailure(error) ? groupExists() : error;
  }
}

/** Returns groups by name: the caller's, or all if an admin asks for them. */
export async function readGroups(
  context: Context,
  all: boolean,
  limit: number,
  cursor: string | undefined,
): Promise<{ groups: SeenGroup[]; nextCursor: string | null }> {
  const { principal } = context.caller;
  if (all) requireAdmin(principal, "Only admins can list all groups. Remove `all`.");
  const names = all ? null : principal.groups.map(({ group }) => group);
  const after = decodeCursor(cursor, nameCursor)?.name ?? null;
  const rows = await listGroups(context.db, names, limit + 1, after);
  const { page, nextCursor } = pageOf(rows, limit, ({ name }) => ({ name }));
  return { groups: page.map((row) => ({ ...row, role: roleIn(principal, row.name) })), nextCursor };
}

/** Returns a group that the caller is a member of, or any group for an admin. */
export async function findGroup(context: Context, name: string): Promise<SeenGroup> {
  const { principal } = context.caller;
  const group = canSeeGroup(principal, name) ? await readGroup(context.db, name) : null;
  if (group === null) throw groupNotFound();
  return { ...group, role: roleIn(principal, name) };
}

/** Changes the display name of a group, and whether its skills are reviewed. `undefined`: unchanged. */
export async function changeGroup(
  context: Context,
  name: string,
  changes: { displayName: string | null; review?: ReviewPolicy | null },
): Promise<SeenGroup> {
  const { role, review: before } = await findManagedGroup(context, name);
  const { displayName, review } = changes;
  if (review !== undefined) requireFreshSignIn(context.caller.principal);
  const named = { display_name: displayName };
  const told = review === undefined ? { after: named } : { before: { review: before }, after: { ...named, review } };
  const group = await updateGroup(audited(context, "group.update", name, { ...told, when: "was" }), name, changes);
  if (group === null) throw groupNotFound();
  return { ...group, role };
}

/** Deletes a group that has no skills and no ghosts, with its members and secrets. */
export async function deleteGroup(context: Context, name: string): Promise<void> {
  await findManagedGroup(context, name);
  if (await deleteGroupRows(audited(context, "group.delete", name, { when: "gone" }), name, groupScope(name))) return;
  if ((await readGroup(context.db, name)) === null) throw groupNotFound();
  throw new GatewayError(
    "conflict",
    "GROUP_NOT_EMPTY",
    "The group still has skills or agents (ghosts). Delete them first.",
  );
}

export function roleTooLow(group: string, role: GroupRole): GatewayError {
  return new GatewayError(
    "forbidden",
    "ROLE_TOO_LOW",
    `Role too low. This needs the role ${role} in the group '${group}'.`,
    {
      group,
      role,
    },
  );
}

export function tooManyGroups(): GatewayError {
  const most = ACCESS_LIMITS.groupsOfUser;
  return new GatewayError(
    "conflict",
    "TOO_MANY_GROUPS",
    `Group limit of the user reached (${most}). Remove the user from a group first.`,
    { most },
  );
}

async function findManagedGroup(context: Context, name: string): Promise<SeenGroup> {
  const group = await findGroup(context, name);
  if (!canManageGroup(context.caller.principal, name)) throw roleTooLow(name, "Owner");
  return group;
}

function groupExists(): GatewayError {
  return new GatewayError(
    "conflict",
    "GROUP_EXISTS",
    "A group with this name already exists (case is ignored). Choose another name.",
  );
}
