// Stores groups and members in D1. The statements enforce the rules under concurrency: an owner always remains, and nobody changes a member
// with a role above their rights.

import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { type GroupRole, userScope } from "../../domain/access/access";
import type { ReviewPolicy } from "../../domain/settings/settings";
import type { Database } from "./database";
import { raiseCounters } from "./keys";
import { groupMembers, groups, ownServers, secrets } from "./schema/access";
import { models } from "./schema/chat";
import { events } from "./schema/events";
import { imports } from "./schema/imports";
import { publishers } from "./schema/publishers";
import { counters, ghosts, now, skills } from "./schema/registry";
import { reviews } from "./schema/reviews";
import { serviceUse, useHours } from "./schema/skill-use";
import { webhookDeliveries, webhooks } from "./schema/webhooks";

export type GroupRow = Omit<typeof groups.$inferSelect, "folded">;
export type MemberRow = Omit<typeof groupMembers.$inferSelect, "groupName">;

const row = {
  name: groups.name,
  displayName: groups.displayName,
  review: groups.review,
  createdBy: groups.createdBy,
  createdAt: groups.createdAt,
  updatedAt: groups.updatedAt,
};

const member = {
  userId: groupMembers.userId,
  role: groupMembers.role,
  createdBy: groupMembers.createdBy,
  createdAt: groupMembers.createdAt,
};

/** Creates a group with its first owner. Fails with a constraint error if the name is taken. */
export async function insertGroup(
  db: Database,
  group: Pick<typeof groups.$inferInsert, "name" | "folded" | "displayName">,
  owner: string,
): Promise<GroupRow> {
  const [made] = await db.batch([
    db
      .insert(groups)
      .values({ ...group, createdBy: owner })
      .returning(row),
    db.insert(groupMembers).values({ groupName: group.name, userId: owner, role: "Owner", createdBy: owner }),
    raiseCounters(db, [userScope(owner)]),
  ]);
  const [found] = made;
  if (found === undefined) throw new Error("insert returned no row");
  return found;
}

/** Whether a scope has skills or ghosts. A deleted group can still have one that was written concurrently. */
export async function hasSkillsOrGhosts(db: Database, scope: string): Promise<boolean> {
  const [someSkills, someGhosts] = await db.batch([
    db.select({ id: skills.id }).from(skills).where(eq(skills.scope, scope)).limit(1),
    db.select({ id: ghosts.id }).from(ghosts).where(eq(ghosts.scope, scope)).limit(1),
  ]);
  return someSkills.length + someGhosts.length > 0;
}

/** Returns a group, or `null`. */
export async function readGroup(db: Database, name: string): Promise<GroupRow | null> {
  const [found] = await db.select(row).from(groups).where(eq(groups.name, name));
  return found ?? null;
}

/** Returns groups by name, after a name: the given ones, or all. */
export function listGroups(
  db: Database,
  names: readonly string[] | null,
  limit: number,
  after: string | null,
): Promise<GroupRow[]> {
  const wanted =
    names === null ? undefined : sql`${groups.name} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`;
  return db
    .select(row)
    .from(groups)
    .where(and(wanted, after === null ? undefined : gt(groups.name, after)))
    .orderBy(groups.name)
    .limit(limit);
}

/** Changes the display name of a group, and whether its skills are reviewed. Returns `null` if it does not exist. */
export async function updateGroup(
  db: Database,
  name: string,
  changes: { displayName?: string | null; review?: ReviewPolicy | null },
): Promise<GroupRow | null> {
  const [changed] = await db.batch([
    db
      .update(groups)
      .set({ ...changes, updatedAt: now })
      .where(eq(groups.name, name))
      .returning(row),
  ]);
  return changed[0] ?? null;
}

/**
 * Deletes a group that has no skills and no ghosts, with its members, secrets, models, imports, servers and publishers. Returns `false` if
 * it has some or does not exist. Raises the counters of its members.
 */
export async function deleteGroupRows(db: Database, name: string, scope: string): Promise<boolean> {
  const isEmpty = sql`NOT EXISTS (SELECT 1 FROM skills WHERE scope = ${scope})
    AND NOT EXISTS (SELECT 1 FROM ghosts WHERE scope = ${scope})`;
  const [, deleted] = await db.batch([
    db
      .insert(counters)
      .select(sql`SELECT ${userScope("")} || user_id, 1 FROM group_members WHERE group_name = ${name} AND ${isEmpty}`)
      .onConflictDoUpdate({ target: counters.scope, set: { value: sql`${counters.value} + 1` } }),
    db.delete(groups).where(sql`${groups.name} = ${name} AND ${isEmpty}`).returning({ name: groups.name }),
    db
      .delete(secrets)
      .where(sql`${secrets.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db.delete(models).where(sql`${models.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(imports)
      .where(sql`${imports.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(ownServers)
      .where(sql`${ownServers.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(publishers)
      .where(sql`${publishers.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(reviews)
      .where(sql`${reviews.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(webhooks)
      .where(sql`${webhooks.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(webhookDeliveries)
      .where(sql`${webhookDeliveries.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db.delete(events).where(sql`${events.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(useHours)
      .where(sql`${useHours.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    db
      .delete(serviceUse)
      .where(sql`${serviceUse.scope} = ${scope} AND NOT EXISTS (SELECT 1 FROM groups WHERE name = ${name})`),
    // A later group with this name must not inherit anything cached for this one.
    raiseCounters(db, [scope]),
  ]);
  return deleted.length > 0;
}

/** Returns the members of a group by user id, after one. */
export function listMembers(db: Database, group: string, limit: number, after: string | null): Promise<MemberRow[]> {
  return db
    .select(member)
    .from(groupMembers)
    .where(and(eq(groupMembers.groupName, group), after === null ? undefined : gt(groupMembers.userId, after)))
    .orderBy(groupMembers.userId)
    .limit(limit);
}

/** A member before and after a change. Without `after`, nothing changed. */
export interface MemberChange {
  before: MemberRow | null;
  after: MemberRow | null;
}

/**
 * Adds a member or changes a role. Does nothing if the member's role is not in `from`, if the last owner would lose the role, or if a new
 * member would be in more than `most` groups. Fails with a constraint error if the group does not exist. Raises the member's counter, which
 * conversations watch.
 */
export async function putMember(
  db: Database,
  group: string,
  change: { userId: string; role: GroupRole; createdBy: string },
  from: readonly GroupRole[],
  most: number,
): Promise<MemberChange> {
  const { userId, role, createdBy } = change;
  const [before, after] = await db.batch([
    selectMember(db, group, userId),
    db
      .insert(groupMembers)
      .select(
        sql`SELECT ${group}, ${userId}, ${role}, ${createdBy}, ${now} WHERE ${isMember(group, userId)}
          OR (SELECT count(*) FROM group_members WHERE user_id = ${userId}) < ${most}`,
      )
      .onConflictDoUpdate({
        target: [groupMembers.groupName, groupMembers.userId],
        set: { role },
        setWhere: and(inArray(groupMembers.role, [...from]), role === "Owner" ? undefined : ownerStays(group)),
      })
      .returning(member),
    raiseCounters(db, [userScope(userId)]),
  ]);
  return { before: before[0] ?? null, after: after[0] ?? null };
}

/**
 * Removes a member and raises that user's counter. `after` is the removed member. Does nothing if the role is not in `from` or the member
 * is the last owner.
 */
export async function deleteMember(
  db: Database,
  group: string,
  userId: string,
  from: readonly GroupRole[],
): Promise<MemberChange> {
  const [before, gone] = await db.batch([
    selectMember(db, group, userId),
    db
      .delete(groupMembers)
      .where(
        and(
          eq(groupMembers.groupName, group),
          eq(groupMembers.userId, userId),
          inArray(groupMembers.role, [...from]),
          ownerStays(group),
        ),
      )
      .returning(member),
    raiseCounters(db, [userScope(userId)]),
  ]);
  return { before: before[0] ?? null, after: gone[0] ?? null };
}

function selectMember(db: Database, group: string, userId: string) {
  return db
    .select(member)
    .from(groupMembers)
    .where(and(eq(groupMembers.groupName, group), eq(groupMembers.userId, userId)));
}

function isMember(group: string, userId: string) {
  return sql`EXISTS (SELECT 1 FROM group_members AS known WHERE known.group_name = ${group} AND known.user_id = ${userId})`;
}

/** SQL: the row is not an owner, or not the only one. */
function ownerStays(group: string) {
  return sql`(${groupMembers.role} <> 'Owner'
    OR (SELECT count(*) FROM group_members AS owner WHERE owner.group_name = ${group} AND owner.role = 'Owner') > 1)`;
}
