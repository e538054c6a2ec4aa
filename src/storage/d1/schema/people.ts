// Lists the D1 columns that refer to a user, and what an export and an erasure do with their rows. A new table needs a row here:
// test/storage/d1/people.test.ts compares this list with the database.

import type { SQL } from "drizzle-orm";
import { isNotNull } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { audit, groupMembers, groups, mcpServers, ownServers, pseudonyms, secrets, usage } from "./access";
import { chatTails, models } from "./chat";
import { links, openSkills, uploadParts, versionBlocks } from "./compat";
import { connections, connectRequests } from "./connections";
import { consoleSessions, SESSION_FACTS } from "./console";
import { conversations, runFiles } from "./conversations";
import { draftReaders } from "./drafts";
import { EXPORTED_EVALS, evalRuns } from "./evals";
import { EXPORTED_EVENTS, events } from "./events";
import { EXPORTED_IMPORTS, imports } from "./imports";
import { publishers } from "./publishers";
import { RATING_FACTS, REPORT_FACTS, skillRatings, skillReports, skillUsers, USED_SKILLS } from "./ratings";
import { counters, ghosts, idempotency, keys, skills, versions } from "./registry";
import { EXPORTED_REVIEW_EVENTS, EXPORTED_REVIEWS, reviewEvents, reviews, versionReviews } from "./reviews";
import { grantCodes, grants } from "./sign-in";
import { preRegisteredClients, signInLinks, signIns } from "./sign-in-pages";
import { skillEnv } from "./skill-network";
import { EXPORTED_SEARCHES, EXPORTED_SERVICE_USE, searchMisses, serviceUse, useHours } from "./skill-use";
import { EXPORTED_DELIVERIES, webhookDeliveries, webhooks } from "./webhooks";

/** The counts that an erasure returns. */
export type ErasureCount = "keys" | "grants" | "secrets" | "ghosts" | "memberships";

export interface UserColumn {
  table: SQLiteTable;
  column: SQLiteColumn;
  /** How the column identifies its user: by id, by the scope `user:<id>`, or by the pseudonym of the audit log. */
  holds: "user" | "scope" | "pseudonym";
  /** Name and columns in an export, or a sentence that says why the rows are not exported or which code exports them. */
  exported: { as: string; columns: Record<string, SQLiteColumn> } | string;
  /**
   * `deleted` in the first step of an erasure; `renamed` to the pseudonym (`cleared`: columns with the user's words), or `forgotten` (deleted), in the last step; or a sentence that
   * says which code erases the rows or why they stay.
   */
  erased:
    | { how: "deleted"; counted?: ErasureCount }
    | { how: "renamed"; only?: SQL; cleared?: Record<string, null> }
    | { how: "forgotten" }
    | { why: string };
}

const MAKER = "who made a thing that is somebody else's, or that is exported by its owner";
const READER = "who may use somebody else's draft; the drafts are their authors'";
const OF_CODES = "a minute's codes; what came of them is with the grants";
const OF_HOURS = "files of two hours that become a version, or nothing";
const SUMS_OF_SKILLS = "sums of the figures that are exported with each version";
const OF_MINUTES = "sign-ins of the last ten minutes; what came of one is its grant";
const DELETED = { how: "deleted" } as const;
const TO_PSEUDONYM = { how: "renamed" } as const;
const FORGOTTEN = { how: "forgotten" } as const;

/** In the order of export and erasure: keys first, so that nothing new is created with them; pseudonyms last. */
export const USER_COLUMNS: readonly UserColumn[] = [
  {
    table: keys,
    column: keys.userId,
    holds: "user",
    exported: {
      as: "keys",
      columns: {
        id: keys.id,
        name: keys.name,
        role: keys.role,
        scopes: keys.scopes,
        created_at: keys.createdAt,
        expires_at: keys.expiresAt,
        revoked_at: keys.revokedAt,
        last_used_at: keys.lastUsedAt,
      },
    },
    erased: { how: "deleted", counted: "keys" },
  },
  { table: grantCodes, column: grantCodes.userId, holds: "user", exported: OF_CODES, erased: DELETED },
  {
    table: grants,
    column: grants.userId,
    holds: "user",
    exported: {
      as: "grants",
      columns: {
        id: grants.id,
        client_id: grants.clientId,
        client_name: grants.clientName,
        resource: grants.resource,
        via: grants.via,
        via_id: grants.viaId,
        created_at: grants.createdAt,
        expires_at: grants.expiresAt,
        ended_at: grants.endedAt,
        last_used_at: grants.lastUsedAt,
      },
    },
    erased: { how: "deleted", counted: "grants" },
  },
  { table: consoleSessions, column: consoleSessions.userId, holds: "user", exported: SESSION_FACTS, erased: DELETED },
  {
    table: links,
    column: links.userId,
    holds: "user",
    exported: {
      as: "links",
      columns: {
        id: links.id,
        name: links.name,
        reads: links.reads,
        skills: links.skills,
        created_at: links.createdAt,
        expires_at: links.expiresAt,
        revoked_at: links.revokedAt,
        uses: links.uses,
        last_used_at: links.lastUsedAt,
      },
    },
    erased: DELETED,
  },
  { table: skillRatings, column: skillRatings.userId, holds: "user", exported: RATING_FACTS, erased: DELETED },
  { table: skillReports, column: skillReports.userId, holds: "user", exported: REPORT_FACTS, erased: DELETED },
  // Last, because a conversation that ends sends its counts.
  { table: skillUsers, column: skillUsers.userId, holds: "user", exported: USED_SKILLS, erased: FORGOTTEN },
  { table: imports, column: imports.scope, holds: "scope", exported: EXPORTED_IMPORTS, erased: DELETED },
  {
    table: publishers,
    column: publishers.scope,
    holds: "scope",
    exported: {
      as: "publishers",
      columns: {
        name: publishers.name,
        issuer: publishers.issuer,
        audience: publishers.audience,
        claims: publishers.claims,
        skills: publishers.skills,
        created_at: publishers.createdAt,
        updated_at: publishers.updatedAt,
        last_used_at: publishers.lastUsedAt,
      },
    },
    erased: DELETED,
  },
  // Those of groups and of the public too: a publisher acts for the user who registered it.
  { table: publishers, column: publishers.createdBy, holds: "user", exported: MAKER, erased: DELETED },
  {
    table: groupMembers,
    column: groupMembers.userId,
    holds: "user",
    exported: {
      as: "memberships",
      columns: { group: groupMembers.groupName, role: groupMembers.role, since: groupMembers.createdAt },
    },
    erased: { how: "deleted", counted: "memberships" },
  },
  {
    table: secrets,
    column: secrets.scope,
    holds: "scope",
    exported: {
      as: "secrets",
      columns: {
        name: secrets.name,
        hosts: secrets.hosts,
        created_at: secrets.createdAt,
        last_used_at: secrets.lastUsedAt,
      },
    },
    erased: { how: "deleted", counted: "secrets" },
  },
  {
    table: skillEnv,
    column: skillEnv.scope,
    holds: "scope",
    exported: {
      as: "skill_env",
      columns: {
        skill_id: skillEnv.skillId,
        name: skillEnv.name,
        hosts: skillEnv.hosts,
        created_at: skillEnv.createdAt,
        last_used_at: skillEnv.lastUsedAt,
      },
    },
    erased: DELETED,
  },
  {
    table: connections,
    column: connections.userId,
    holds: "user",
    exported: {
      as: "connections",
      columns: {
        id: connections.id,
        server: connections.server,
        scope: connections.scope,
        url: connections.url,
        issuer: connections.issuer,
        granted: connections.granted,
        state: connections.state,
        created_at: connections.createdAt,
        expires_at: connections.expiresAt,
      },
    },
    erased: DELETED,
  },
  { table: connectRequests, column: connectRequests.userId, holds: "user", exported: OF_MINUTES, erased: DELETED },
  {
    table: models,
    column: models.scope,
    holds: "scope",
    exported: {
      as: "models",
      columns: { name: models.name, entry: models.entry, created_at: models.createdAt, updated_at: models.updatedAt },
    },
    erased: DELETED,
  },
  {
    table: ownServers,
    column: ownServers.scope,
    holds: "scope",
    exported: {
      as: "mcp_servers",
      columns: {
        name: ownServers.name,
        entry: ownServers.entry,
        created_at: ownServers.createdAt,
        updated_at: ownServers.updatedAt,
      },
    },
    erased: DELETED,
  },
  {
    table: webhooks,
    column: webhooks.scope,
    holds: "scope",
    exported: {
      as: "webhooks",
      columns: {
        name: webhooks.name,
        url: webhooks.url,
        events: webhooks.events,
        enabled: webhooks.enabled,
        created_at: webhooks.createdAt,
        updated_at: webhooks.updatedAt,
      },
    },
    erased: DELETED,
  },
  { table: events, column: events.scope, holds: "scope", exported: EXPORTED_EVENTS, erased: DELETED },
  {
    table: webhookDeliveries,
    column: webhookDeliveries.scope,
    holds: "scope",
    exported: EXPORTED_DELIVERIES,
    erased: DELETED,
  },
  {
    table: ghosts,
    column: ghosts.scope,
    holds: "scope",
    exported: {
      as: "ghosts",
      columns: {
        id: ghosts.id,
        namespace: ghosts.namespace,
        name: ghosts.name,
        spec: ghosts.spec,
        created_at: ghosts.createdAt,
      },
    },
    erased: { how: "deleted", counted: "ghosts" },
  },
  {
    table: idempotency,
    column: idempotency.userId,
    holds: "user",
    exported: "answers that are kept for a day for a retry; they say nothing that the versions do not",
    erased: DELETED,
  },
  {
    table: chatTails,
    column: chatTails.userId,
    holds: "user",
    exported: "digests by which chats are found again; what was said is with their conversations",
    erased: DELETED,
  },
  { table: reviews, column: reviews.userId, holds: "user", exported: EXPORTED_REVIEWS, erased: DELETED },
  {
    table: reviewEvents,
    column: reviewEvents.userId,
    holds: "user",
    exported: EXPORTED_REVIEW_EVENTS,
    // In the history of others' submissions, the decisions stay without their words.
    erased: { how: "renamed", cleared: { comment: null } },
  },
  { table: versionReviews, column: versionReviews.userId, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: draftReaders, column: draftReaders.userId, holds: "user", exported: READER, erased: DELETED },
  { table: signIns, column: signIns.userId, holds: "user", exported: OF_MINUTES, erased: DELETED },
  { table: signInLinks, column: signInLinks.userId, holds: "user", exported: OF_MINUTES, erased: DELETED },
  { table: uploadParts, column: uploadParts.userId, holds: "user", exported: OF_HOURS, erased: DELETED },
  { table: usage, column: usage.subject, holds: "user", exported: "counts of a day, for quotas", erased: DELETED },
  // The sums of all scopes stay: they name nobody.
  { table: useHours, column: useHours.scope, holds: "scope", exported: SUMS_OF_SKILLS, erased: DELETED },
  { table: searchMisses, column: searchMisses.userId, holds: "user", exported: EXPORTED_SEARCHES, erased: DELETED },
  { table: serviceUse, column: serviceUse.scope, holds: "scope", exported: EXPORTED_SERVICE_USE, erased: DELETED },
  {
    table: skills,
    column: skills.scope,
    holds: "scope",
    exported: "page by page, with their versions and drafts: readScopeVersions",
    erased: { why: "services/users.ts deletes each with its packages" },
  },
  {
    table: conversations,
    column: conversations.userId,
    holds: "user",
    exported: "each by its object, with its events: services/users.ts",
    erased: { why: "each object takes itself off the list: services/users.ts" },
  },
  {
    table: runFiles,
    column: runFiles.userId,
    holds: "user",
    // services/users.ts replaces `object` with the bytes.
    exported: {
      as: "files",
      columns: {
        id: runFiles.id,
        conversation: runFiles.conversation,
        path: runFiles.path,
        size: runFiles.size,
        created_at: runFiles.createdAt,
        object: runFiles.object,
      },
    },
    // Each conversation deletes its own files. A remaining row has no object, or one that the sweep deletes.
    erased: FORGOTTEN,
  },
  {
    table: audit,
    column: audit.actor,
    holds: "pseudonym",
    exported: "as `acts`, by way of the pseudonym: readUserRows",
    erased: {
      why: "entries stay without what the user wrote (eraseFromAudit); the pseudonym no longer says who it was",
    },
  },
  {
    // A private row written by a late request would lose its scope with its user, so only shared rows are renamed.
    table: ghosts,
    column: ghosts.userId,
    holds: "user",
    exported: MAKER,
    erased: { how: "renamed", only: isNotNull(ghosts.shared) },
  },
  { table: skills, column: skills.userId, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: versions, column: versions.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: evalRuns, column: evalRuns.createdBy, holds: "user", exported: EXPORTED_EVALS, erased: TO_PSEUDONYM },
  { table: keys, column: keys.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: groups, column: groups.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: groupMembers, column: groupMembers.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: secrets, column: secrets.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: skillEnv, column: skillEnv.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: models, column: models.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: imports, column: imports.userId, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: openSkills, column: openSkills.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: versionBlocks, column: versionBlocks.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: signInLinks, column: signInLinks.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: skillRatings, column: skillRatings.answeredBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: skillRatings, column: skillRatings.hiddenBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: skillReports, column: skillReports.decidedBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  {
    table: preRegisteredClients,
    column: preRegisteredClients.createdBy,
    holds: "user",
    exported: MAKER,
    erased: TO_PSEUDONYM,
  },
  { table: mcpServers, column: mcpServers.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: ownServers, column: ownServers.createdBy, holds: "user", exported: MAKER, erased: TO_PSEUDONYM },
  { table: counters, column: counters.scope, holds: "scope", exported: "how often a scope changed", erased: FORGOTTEN },
  {
    table: pseudonyms,
    column: pseudonyms.userId,
    holds: "user",
    exported: "the audit log's name for the user, which it never leaves",
    erased: FORGOTTEN,
  },
];
