// Manages the members of groups. An owner always remains, and nobody can grant or remove a role above their rights.

import * as z from "zod";
import { GROUP_ROLES, type GroupRole, manageableRoles } from "../../domain/access/access";
import { ABOUT } from "../../domain/access/audit";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { ACCESS_LIMITS } from "../../domain/limits";
import { isConstraintFailure } from "../../storage/d1/database";
import { deleteMember, listMembers, type MemberChange, type MemberRow, putMember } from "../../storage/d1/groups";
import { audited } from "../audit";
import type { Context } from "../context";
import { findGroup, groupNotFound, roleTooLow, tooManyGroups } from "./groups";

const userCursor = z.object({ userId: z.string() });

/** Returns the members of a group that the caller sees, by user id. */
export async function readMembers(
  context: Context,
  group: string,
  limit: number,
  cursor: string | undefined,
): Promise<{ members: MemberRow[]; nextCursor: string | null }> {
  await findGroup(context, group);
  const rows = await listMembers(context.db, group, limit + 1, decodeCursor(cursor, userCursor)?.userId ?? null);
  const { page, nextCursor } = pageOf(rows, limit, ({ userId }) => ({ userId }));
  return { members: page, nextCursor };
}

/** Adds a member or changes a role. `before` is the previous member. */
export async function setMember(
  context: Context,
  group: string,
  userId: string,
  role: GroupRole,
): Promise<{ before: MemberRow | null; member: MemberRow }> {
  await findGroup(context, group);
  const { principal } = context.caller;
  const roles = manageableRoles(principal, group);
  if (!roles.includes(role)) throw roleTooLow(group, roles.length === 0 ? "Maintainer" : "Owner");
  let change: MemberChange;
  try {
    const wanted = { userId, role, createdBy: principal.userId };
    const record = { after: { user_id: ABOUT, role }, about: userId, when: { joined: userId, group, role } };
    const recorded = audited(context, "group.member.put", group, record);
    change = await putMember(recorded, group, wanted, roles, ACCESS_LIMITS.groupsOfUser);
  } catch (error) {
    throw isConstraintFailure(error) ? groupNotFound() : error;
  }
  if (change.after !== null) return { before: change.before, member: change.after };
  if (change.before === null) throw tooManyGroups();
  throw refusalFor(group, change.before, roles);
}

/** Removes a member. Every member can leave. */
export async function removeMember(context: Context, group: string, userId: string): Promise<MemberRow> {
  await findGroup(context, group);
  const { principal } = context.caller;
  const roles = userId === principal.userId ? GROUP_ROLES : manageableRoles(principal, group);
  if (roles.length === 0) throw roleTooLow(group, "Maintainer");
  const record = { before: { user_id: ABOUT }, about: userId, when: { left: userId, group, from: roles } };
  const recorded = audited(context, "group.member.remove", group, record);
  const change = await deleteMember(recorded, group, userId, roles);
  if (change.after !== null) return change.after;
  if (change.before === null)
    throw new GatewayError("not_found", "MEMBER_NOT_FOUND", "Member not found in this group. Check the user id.");
  throw refusalFor(group, change.before, roles);
}

/** Returns why an existing member was not changed. */
function refusalFor(group: string, before: MemberRow, roles: readonly GroupRole[]): GatewayError {
  if (!roles.includes(before.role)) return roleTooLow(group, "Owner");
  return new GatewayError(
    "conflict",
    "LAST_OWNER",
    "The last owner of a group cannot leave. Make another member an Owner first.",
  );
}
