// Everything D1 knows of one user, for who wants it all or wants it gone.

import { and, eq, isNotNull, sql } from "drizzle-orm";
import { userScope } from "../../domain/access/access";
import type { Database } from "./database";
import { audit, groupMembers, groups, mcpServers, pseudonyms, secrets, usage } from "./schema/access";
import { counters, ghosts, idempotency, keys, skills, versions } from "./schema/registry";

/** What an export has of the rows: nothing that opens anything. */
export async function readUserRows(db: Database, userId: string) {
  const [keyRows, members, secretRows, ghostRows, acts] = await db.batch([
    db
      .select({
        id: keys.id,
        name: keys.name,
        role: keys.role,
        scopes: keys.scopes,
        created_at: keys.createdAt,
        expires_at: keys.expiresAt,
        revoked_at: keys.revokedAt,
        last_used_at: keys.lastUsedAt,
      })
      .from(keys)
      .where(eq(keys.userId, userId)),
    db
      .select({ group: groupMembers.groupName, role: groupMembers.role, since: groupMembers.createdAt })
      .from(groupMembers)
      .where(eq(groupMembers.userId, userId)),
    db
      .select({
        name: secrets.name,
        hosts: secrets.hosts,
        created_at: secrets.createdAt,
        last_used_at: secrets.lastUsedAt,
      })
      .from(secrets)
      .where(eq(secrets.scope, userScope(userId))),
    db
      .select({
        id: ghosts.id,
        namespace: ghosts.namespace,
        name: ghosts.name,
        spec: ghosts.spec,
        created_at: ghosts.createdAt,
      })
      .from(ghosts)
      .where(eq(ghosts.scope, userScope(userId))),
    db
      .select({ at: audit.at, action: audit.action, resource_type: audit.resourceType, resource_id: audit.resourceId })
      .from(audit)
      .innerJoin(pseudonyms, eq(pseudonyms.pseudonym, audit.actor))
      .where(eq(pseudonyms.userId, userId))
      .orderBy(audit.seq),
  ]);
  return { keys: keyRows, memberships: members, secrets: secretRows, ghosts: ghostRows, acts };
}

/** A page of the versions of a user's own skills, after a version's id. */
export function readUserVersions(db: Database, userId: string, limit: number, after: string) {
  return db
    .select({
      id: versions.id,
      skill_id: skills.id,
      skill: skills.name,
      version: versions.label,
      frontmatter: versions.frontmatter,
      instructions: versions.instructions,
      files: versions.files,
      created_at: versions.createdAt,
    })
    .from(versions)
    .innerJoin(skills, eq(skills.id, versions.skillId))
    .where(and(eq(skills.scope, userScope(userId)), sql`${versions.id} > ${after}`))
    .orderBy(versions.id)
    .limit(limit);
}

/** Some of a user's own skills. */
export function readUserSkills(db: Database, userId: string, limit: number) {
  return db
    .select({ id: skills.id, name: skills.name, scope: skills.scope })
    .from(skills)
    .where(eq(skills.scope, userScope(userId)))
    .limit(limit);
}

/** Deletes what is small: keys first, so that nothing new comes from them. Returns how much there was. */
export async function eraseUserRows(
  db: Database,
  userId: string,
): Promise<{ keys: number; secrets: number; ghosts: number; memberships: number }> {
  const [keyRows, secretRows, ghostRows, members] = await db.batch([
    db.delete(keys).where(eq(keys.userId, userId)).returning({ id: keys.id }),
    db
      .delete(secrets)
      .where(eq(secrets.scope, userScope(userId)))
      .returning({ id: secrets.id }),
    db
      .delete(ghosts)
      .where(eq(ghosts.scope, userScope(userId)))
      .returning({ id: ghosts.id }),
    db.delete(groupMembers).where(eq(groupMembers.userId, userId)).returning({ group: groupMembers.groupName }),
    db.delete(idempotency).where(eq(idempotency.userId, userId)),
    db.delete(usage).where(eq(usage.subject, userId)),
  ]);
  return {
    keys: keyRows.length,
    secrets: secretRows.length,
    ghosts: ghostRows.length,
    memberships: members.length,
  };
}

/** Takes the user's name off what others keep, then forgets whom the pseudonym stands for. The last step of an erasure. */
export async function forgetUser(db: Database, userId: string): Promise<void> {
  const pseudonym = sql`coalesce((SELECT pseudonym FROM pseudonyms WHERE user_id = ${userId}), 'erased')`;
  await db.batch([
    // A row that a late request made of the user's own would lose its scope with its user: only what is shared is renamed.
    db
      .update(ghosts)
      .set({ userId: pseudonym })
      .where(and(eq(ghosts.userId, userId), isNotNull(ghosts.shared))),
    db.update(skills).set({ userId: pseudonym }).where(eq(skills.userId, userId)),
    db.update(versions).set({ createdBy: pseudonym }).where(eq(versions.createdBy, userId)),
    db.update(keys).set({ createdBy: pseudonym }).where(eq(keys.createdBy, userId)),
    db.update(groups).set({ createdBy: pseudonym }).where(eq(groups.createdBy, userId)),
    db.update(groupMembers).set({ createdBy: pseudonym }).where(eq(groupMembers.createdBy, userId)),
    db.update(secrets).set({ createdBy: pseudonym }).where(eq(secrets.createdBy, userId)),
    db.update(mcpServers).set({ createdBy: pseudonym }).where(eq(mcpServers.createdBy, userId)),
    db.delete(counters).where(eq(counters.scope, userScope(userId))),
    db.delete(pseudonyms).where(eq(pseudonyms.userId, userId)),
  ]);
}
