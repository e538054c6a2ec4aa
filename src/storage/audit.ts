// The audit log in D1. A row is written in the batch of the change it tells of, so there is neither without the other.

import { and, desc, eq, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import type { AuditEntry, ResourceType } from "../domain/audit";
import type { Database } from "./database";
import { conversations, ghosts, keys, skills } from "./schema";
import { audit, groups, mcpServers, pseudonyms, secrets } from "./schema-access";

/** Who did it: a user, by a key, in a request. */
export interface Actor {
  userId: string;
  keyId: string;
  requestId: string;
  /** What the user is to be called in the log if it was never called anything; random. */
  pseudonym: string;
}

/**
 * The same database, but every batch also records the entry, whole or not at all. For one change: a second batch would be a
 * second row.
 */
export function recording(db: Database, actor: Actor, entry: AuditEntry): Database {
  const batch = async (statements: Parameters<Database["batch"]>[0]) => {
    const named = db
      .insert(pseudonyms)
      .values({ userId: actor.userId, pseudonym: actor.pseudonym })
      .onConflictDoNothing();
    const row = rowOf(db, actor, entry);
    const isAfter = entry.when === "gone" || entry.when === "is";
    const [first, ...rest] = isAfter ? [named, ...statements, row] : [named, row, ...statements];
    const results: unknown[] = await db.batch([first ?? named, ...rest]);
    return isAfter ? results.slice(1, -1) : results.slice(2);
  };
  return new Proxy(db, {
    get: (target, property) => (property === "batch" ? batch : Reflect.get(target, property, target)),
  });
}

/** Records something that changes nothing here, such as an export. */
export async function recordOnly(db: Database, actor: Actor, entry: AuditEntry): Promise<void> {
  const named = db
    .insert(pseudonyms)
    .values({ userId: actor.userId, pseudonym: actor.pseudonym })
    .onConflictDoNothing();
  await db.batch([named, rowOf(db, actor, entry)]);
}

export interface AuditRow {
  seq: number;
  at: number;
  actor: string;
  /** `null` once the user was erased. */
  userId: string | null;
  keyId: string;
  action: string;
  resourceType: string;
  resourceId: string;
  requestId: string;
  before: unknown;
  after: unknown;
}

export interface AuditFilter {
  /** A user's id, or a pseudonym. */
  actor?: string | undefined;
  action?: string | undefined;
  resource_type?: string | undefined;
  resource_id?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/** Rows newest first, before the cursor's. */
export function listAudit(
  db: Database,
  filter: AuditFilter,
  limit: number,
  before: number | null,
): Promise<AuditRow[]> {
  const { actor, action, resource_type, resource_id, since, until } = filter;
  const pseudonym = sql`coalesce((SELECT pseudonym FROM pseudonyms WHERE user_id = ${actor ?? null}), ${actor ?? null})`;
  const conditions: (SQL | undefined)[] = [
    actor === undefined ? undefined : eq(audit.actor, pseudonym),
    action === undefined ? undefined : eq(audit.action, action),
    resource_type === undefined ? undefined : eq(audit.resourceType, resource_type),
    resource_id === undefined ? undefined : eq(audit.resourceId, resource_id),
    since === undefined ? undefined : gte(audit.at, since),
    until === undefined ? undefined : lte(audit.at, until),
    before === null ? undefined : lt(audit.seq, before),
  ];
  return db
    .select({
      seq: audit.seq,
      at: audit.at,
      actor: audit.actor,
      userId: pseudonyms.userId,
      keyId: audit.keyId,
      action: audit.action,
      resourceType: audit.resourceType,
      resourceId: audit.resourceId,
      requestId: audit.requestId,
      before: audit.before,
      after: audit.after,
    })
    .from(audit)
    .leftJoin(pseudonyms, eq(pseudonyms.pseudonym, audit.actor))
    .where(and(...conditions))
    .orderBy(desc(audit.seq))
    .limit(limit);
}

function rowOf(db: Database, actor: Actor, entry: AuditEntry) {
  const { action, resourceType, resourceId, before, after, when } = entry;
  const is = when === null ? sql`true` : exists(resourceType, resourceId);
  const json = (value: AuditEntry["before"]) => (value === null ? null : JSON.stringify(value));
  // A user is named by pseudonym as a resource too.
  const id =
    resourceType === "user"
      ? sql`coalesce((SELECT pseudonym FROM pseudonyms WHERE user_id = ${resourceId}), '')`
      : sql`${resourceId}`;
  return db.insert(audit).select(sql`
    SELECT NULL, cast(unixepoch('subsec') * 1000 as integer), pseudonym, ${actor.keyId}, ${action}, ${resourceType}, ${id},
      ${actor.requestId}, ${json(before)}, ${json(after)}
    FROM ${pseudonyms} WHERE user_id = ${actor.userId} AND ${when === "gone" ? sql`NOT (${is})` : is}`);
}

/** Whether a thing is there, by the id that the log knows it by. */
function exists(type: ResourceType, id: string): SQL {
  switch (type) {
    case "skill":
      return sql`EXISTS (SELECT 1 FROM ${skills} WHERE ${skills.id} = ${id})`;
    case "ghost":
      return sql`EXISTS (SELECT 1 FROM ${ghosts} WHERE ${ghosts.id} = ${id})`;
    case "key":
      return sql`EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.id} = ${id} AND ${keys.revokedAt} IS NULL)`;
    case "group":
      return sql`EXISTS (SELECT 1 FROM ${groups} WHERE ${groups.name} = ${id})`;
    case "mcp_server":
      return sql`EXISTS (SELECT 1 FROM ${mcpServers} WHERE ${mcpServers.name} = ${id})`;
    case "secret":
      return sql`EXISTS (SELECT 1 FROM ${secrets} WHERE ${secrets.scope} || '/' || ${secrets.name} = ${id})`;
    case "conversation":
      return sql`EXISTS (SELECT 1 FROM ${conversations} WHERE ${conversations.id} = ${id})`;
    case "settings":
    case "user":
      return sql`true`;
  }
}
