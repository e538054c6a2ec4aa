// Stores the audit log in D1. Each row is written in the batch of the change it describes, so neither exists without the other.

import { and, desc, eq, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { GATEWAY_SCOPE, PUBLIC_SCOPE } from "../../domain/access/access";
import {
  ABOUT,
  type AuditEntry,
  type Condition,
  ERASED,
  KEPT_AFTER_ERASURE,
  NAMES_ANOTHERS_THING,
} from "../../domain/access/audit";
import { isStreamed } from "../../domain/events/events";
import type { SkillEvent } from "../../domain/webhooks/webhooks";
import type { Database } from "./database";
import { storeEvent } from "./events";
import { audit, groups, mcpServers, ownServers, pseudonyms, secrets } from "./schema/access";
import { models } from "./schema/chat";
import { links } from "./schema/compat";
import { connections } from "./schema/connections";
import { consoleSessions } from "./schema/console";
import { conversations } from "./schema/conversations";
import { imports } from "./schema/imports";
import { publishers, publishingKeys } from "./schema/publishers";
import { skillRatings, skillReports } from "./schema/ratings";
import { now as databaseNow, ghosts, keys, skills } from "./schema/registry";
import { reviews } from "./schema/reviews";
import { grants } from "./schema/sign-in";
import { preRegisteredClients, signInLinks, signIns } from "./schema/sign-in-pages";
import { skillEnv } from "./schema/skill-network";
import { webhooks } from "./schema/webhooks";
import { queueEvent } from "./webhooks";

const numbered = z.array(z.object({ seq: z.int() }));
const written = z.object({ meta: z.object({ changes: z.number() }) });

/** The user, key and request that made a change. */
export interface Actor {
  userId: string;
  keyId: string;
  requestId: string;
  /** A random pseudonym for the user, used if the user has none yet. */
  pseudonym: string;
  /** A random pseudonym for the user whom the change concerns. */
  otherPseudonym: string;
}

/** An event that is stored, and queued for webhooks, if its entry is recorded. `onQueued` is called if a webhook receives it. */
export interface RecordedEvent {
  event: SkillEvent;
  onQueued(): void;
  /** @param seq the number of the stored event */
  onStored(seq: number): void;
}

/**
 * Returns a database whose next batch also records the entry, in the same transaction, and queues its event. Use it for one change: a
 * second batch would write a second row.
 */
export function recording(
  db: Database,
  actor: Actor,
  entry: AuditEntry,
  recorded: RecordedEvent | null = null,
): Database {
  const batch = async (statements: Parameters<Database["batch"]>[0]) => {
    const named = namesOf(db, actor, entry);
    const row = rowOf(db, actor, entry);
    const isAfter =
      entry.when !== null &&
      ("joined" in entry.when ||
        "exchanged" in entry.when ||
        "version" in entry.when ||
        "review" in entry.when ||
        ("sealed" in entry.when && entry.when.at === "after") ||
        ("thing" in entry.when && entry.when.thing !== "was"));
    const noted = recorded === null ? [row] : ([row, ...eventOf(db, actor, entry, recorded.event)] as const);
    const [before, after] = isAfter ? [[], noted] : [noted, []];
    const results: unknown[] = await db.batch([named, ...before, ...statements, ...after]);
    const first = 1 + before.length;
    if (recorded !== null) {
      const [queued, stored] = results.slice(isAfter ? results.length - noted.length + 1 : 2);
      if (wroteRows(queued)) recorded.onQueued();
      const [numbers] = isStreamed(recorded.event.type) ? numbered.parse(stored) : [];
      if (numbers !== undefined) recorded.onStored(numbers.seq);
    }
    return results.slice(first, first + statements.length);
  };
  return new Proxy(db, {
    get: (target, property) => (property === "batch" ? batch : Reflect.get(target, property, target)),
  });
}

/** Whether a statement without a result wrote rows. */
function wroteRows(result: unknown): boolean {
  return written.safeParse(result).data?.meta.changes !== 0;
}

/** Queues and stores an event if the last entry of the log is this one. */
function eventOf(db: Database, actor: Actor, { action, resourceId }: AuditEntry, event: SkillEvent) {
  const isRecorded = sql`EXISTS (SELECT 1 FROM ${audit} WHERE ${audit.seq} = (SELECT max(${audit.seq}) FROM ${audit})
    AND ${audit.requestId} = ${actor.requestId} AND ${audit.action} = ${action} AND ${audit.resourceId} = ${resourceId})`;
  const queued = queueEvent(db, event, isRecorded);
  if (!isStreamed(event.type)) return [queued] as const;
  const scope = event.scope === GATEWAY_SCOPE ? PUBLIC_SCOPE : event.scope;
  return [queued, storeEvent(db, { ...event, scope }, isRecorded)] as const;
}

/** Records an action that changes no rows, such as an export. */
export async function recordOnly(db: Database, actor: Actor, entry: AuditEntry): Promise<void> {
  await db.batch([namesOf(db, actor, entry), rowOf(db, actor, entry)]);
}

export interface AuditRow {
  seq: number;
  at: number;
  actor: string;
  /** `null` after the user was erased. */
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
  /** A user id, or a pseudonym. */
  actor?: string | undefined;
  action?: string | undefined;
  resource_type?: string | undefined;
  resource_id?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

/** Returns rows before the cursor, newest first. */
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

/** SQL: an object of the log with the members that its action keeps, or NULL if it keeps none. */
const clearedColumn = (column: typeof audit.before | typeof audit.after) => sql`nullif((
    SELECT json_group_object(key, CASE type WHEN 'true' THEN json('true') WHEN 'false' THEN json('false')
      WHEN 'array' THEN json(value) WHEN 'object' THEN json(value) ELSE value END)
    FROM json_each(${column})
    WHERE key IN (SELECT value FROM json_each(${JSON.stringify(KEPT_AFTER_ERASURE)}, '$."' || ${audit.action} || '"'))), '{}')`;

/**
 * Removes what a user wrote from the entries about it: those of its own acts, and those of others about its things. What stays is the
 * action, the time, the key and the pseudonym. The trigger `audit_no_update` lets this happen only once the pseudonym stands for nobody.
 */
export function eraseFromAudit(db: Database, pseudonym: string) {
  const changes = { before: clearedColumn(audit.before), after: clearedColumn(audit.after) };
  // Ids of conversations, and names within the user's own scope, are the user's words. So may be the id that a caller gave its request.
  const isTyped = sql`${audit.resourceType} = 'conversation' OR (${audit.resourceType} IN ('model', 'own_server', 'publisher', 'secret', 'webhook') AND ${audit.resourceId} LIKE 'user/%')`;
  const isMade = sql`length(${audit.requestId}) = 36 AND ${audit.requestId} NOT GLOB '*[^0-9a-f-]*'`;
  const own = {
    resourceId: sql`CASE WHEN ${isTyped} THEN ${ERASED} ELSE ${audit.resourceId} END`,
    requestId: sql`CASE WHEN ${isMade} THEN ${audit.requestId} ELSE ${ERASED} END`,
  };
  const named = sql`${pseudonym} IN (json_extract(${audit.before}, '$.user_id'), json_extract(${audit.after}, '$.user_id'))`;
  return [
    db
      .update(audit)
      .set({ ...changes, ...own })
      .where(eq(audit.actor, pseudonym)),
    db
      .update(audit)
      .set(changes)
      .where(and(inArray(audit.action, [...NAMES_ANOTHERS_THING]), named)),
  ] as const;
}

/** Assigns a pseudonym to every user named in the entry who has none. */
function namesOf(db: Database, actor: Actor, { about }: AuditEntry) {
  const actors = { userId: actor.userId, pseudonym: actor.pseudonym };
  const others = about === null || about === actor.userId ? [] : [{ userId: about, pseudonym: actor.otherPseudonym }];
  return db
    .insert(pseudonyms)
    .values([actors, ...others])
    .onConflictDoNothing();
}

function rowOf(db: Database, actor: Actor, entry: AuditEntry) {
  const { action, resourceType, resourceId, before, after, about, when } = entry;
  const other = sql`coalesce((SELECT pseudonym FROM pseudonyms WHERE user_id = ${about}), '')`;
  const json = (value: AuditEntry["before"]) =>
    value === null ? sql`NULL` : sql`replace(${JSON.stringify(value)}, ${`"${ABOUT}"`}, '"' || ${other} || '"')`;
  const id = resourceType === "user" ? other : sql`${resourceId}`;
  return db.insert(audit).select(sql`
    SELECT NULL, cast(unixepoch('subsec') * 1000 as integer), pseudonym, ${actor.keyId}, ${action}, ${resourceType}, ${id},
      ${actor.requestId}, ${json(before)}, ${json(after)}
    FROM ${pseudonyms} WHERE user_id = ${actor.userId} AND ${when === null ? sql`true` : holds(when)}`);
}

function holds(when: Condition): SQL {
  if ("thing" in when) return when.thing === "gone" ? sql`NOT (${exists(when)})` : exists(when);
  if ("page" in when)
    return sql`EXISTS (SELECT 1 FROM ${signIns} WHERE ${signIns.id} = ${when.page} AND ${signIns.stage} = 'shown'
      AND ${signIns.userId} = ${when.shownTo} AND ${signIns.expiresAt} > ${databaseNow})`;
  if ("sealed" in when)
    return sql`EXISTS (SELECT 1 FROM ${skillEnv} WHERE ${skillEnv.skillId} = ${when.skill} AND ${skillEnv.ciphertext} = ${when.sealed})`;
  if ("exchanged" in when)
    return sql`EXISTS (SELECT 1 FROM ${publishingKeys} WHERE ${publishingKeys.id} = ${when.exchanged})`;
  if ("review" in when)
    return sql`EXISTS (SELECT 1 FROM ${reviews} WHERE ${reviews.id} = ${when.review} AND ${reviews.state} = ${when.state}
      AND ${reviews.zipSha256} = ${when.zipSha256})`;
  if ("version" in when) {
    const yanked = when.yanked ? sql`IS NOT NULL` : sql`IS NULL`;
    return sql`EXISTS (SELECT 1 FROM versions WHERE id = ${when.version} AND yanked_at ${yanked})`;
  }
  const { group } = when;
  if ("joined" in when) {
    return sql`EXISTS (SELECT 1 FROM group_members WHERE group_name = ${group} AND user_id = ${when.joined} AND role = ${when.role})`;
  }
  return sql`EXISTS (SELECT 1 FROM group_members AS m WHERE m.group_name = ${group} AND m.user_id = ${when.left}
    AND m.role IN (SELECT value FROM json_each(${JSON.stringify(when.from)}))
    AND (m.role <> 'Owner' OR (SELECT count(*) FROM group_members AS o WHERE o.group_name = ${group} AND o.role = 'Owner') > 1))`;
}

/**
 * Whether a resource exists. Secrets, models, publishers and user-defined servers are identified by `<scope>/<name>`, other resources by id or name.
 */
function exists({ type, id }: Extract<Condition, { thing: string }>): SQL {
  switch (type) {
    case "skill":
      return sql`EXISTS (SELECT 1 FROM ${skills} WHERE ${skills.id} = ${id})`;
    case "ghost":
      return sql`EXISTS (SELECT 1 FROM ${ghosts} WHERE ${ghosts.id} = ${id})`;
    case "key":
      return sql`EXISTS (SELECT 1 FROM ${keys} WHERE ${keys.id} = ${id} AND ${keys.revokedAt} IS NULL)`;
    case "grant":
      return sql`EXISTS (SELECT 1 FROM ${grants} WHERE ${grants.id} = ${id} AND ${grants.endedAt} IS NULL)`;
    case "import":
      return sql`EXISTS (SELECT 1 FROM ${imports} WHERE ${imports.id} = ${id})`;
    case "link":
      return sql`EXISTS (SELECT 1 FROM ${links} WHERE ${links.id} = ${id} AND ${links.revokedAt} IS NULL)`;
    case "group":
      return sql`EXISTS (SELECT 1 FROM ${groups} WHERE ${groups.name} = ${id})`;
    case "mcp_server":
      return sql`EXISTS (SELECT 1 FROM ${mcpServers} WHERE ${mcpServers.name} = ${id})`;
    case "own_server":
      return sql`EXISTS (SELECT 1 FROM ${ownServers} WHERE ${ownServers.scope} || '/' || ${ownServers.name} = ${id})`;
    case "publisher":
      return sql`EXISTS (SELECT 1 FROM ${publishers} WHERE ${publishers.scope} || '/' || ${publishers.name} = ${id})`;
    case "review":
      return sql`EXISTS (SELECT 1 FROM ${reviews} WHERE ${reviews.id} = ${id})`;
    case "webhook":
      return sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${webhooks.scope} || '/' || ${webhooks.name} = ${id})`;
    case "secret":
      return sql`EXISTS (SELECT 1 FROM ${secrets} WHERE ${secrets.scope} || '/' || ${secrets.name} = ${id})`;
    case "model":
      return sql`EXISTS (SELECT 1 FROM ${models} WHERE ${models.scope} || '/' || ${models.name} = ${id})`;
    case "oauth_client":
      return sql`EXISTS (SELECT 1 FROM ${preRegisteredClients} WHERE ${preRegisteredClients.name} = ${id})`;
    case "rating":
      return sql`EXISTS (SELECT 1 FROM ${skillRatings} WHERE ${skillRatings.id} = ${id})`;
    case "report":
      return sql`EXISTS (SELECT 1 FROM ${skillReports} WHERE ${skillReports.id} = ${id} AND ${skillReports.decidedAt} IS NULL)`;
    case "session":
      return sql`EXISTS (SELECT 1 FROM ${consoleSessions} WHERE ${consoleSessions.id} = ${id})`;
    case "sign_in":
      return sql`EXISTS (SELECT 1 FROM ${signInLinks} WHERE ${signInLinks.id} = ${id})`;
    case "connection":
      return sql`EXISTS (SELECT 1 FROM ${connections} WHERE ${connections.id} = ${id} AND ${connections.state} <> 'ended')`;
    case "conversation":
      return sql`EXISTS (SELECT 1 FROM ${conversations} WHERE ${conversations.id} = ${id})`;
  }
}
