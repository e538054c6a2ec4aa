// D1 tables of the registry. `npm run migrate:new` generates migrations from this folder. The search index (FTS5) is written by hand,
// because drizzle-kit does not model virtual tables. docs/storage.md explains every table.

import { type SQLWrapper, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Envelope } from "../../../domain/attestation/statement";
import type { GhostSpec } from "../../../domain/catalog/ghost";
import type { SkillSource } from "../../../domain/catalog/source";
import type { ScriptVerdict } from "../../../domain/code/check/verdict";
import type { Described } from "../../../domain/conversation/offered";
import type { Issue } from "../../../domain/errors";
import type { JsonObject } from "../../../domain/json";
import type { Manifest, PackageFile } from "../../../domain/package/skill";

/** Milliseconds since the epoch, by the database's clock. */
export const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`;

/** One row per skill, pointing at its current version. `scope` is `user:<id>`, `group:<name>` or `public`. */
export const skills = sqliteTable(
  "skills",
  {
    /** The rowid of the search index. Never leaves the storage layer. */
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    scope: text().notNull(),
    name: text().notNull(),
    /** The name after NFC normalization and case folding. Unique within a scope. */
    folded: text().notNull(),
    namespace: text().notNull(),
    /** The owner; `0` for public skills, as in Wegent. */
    userId: text("user_id").notNull(),
    /** The current version; empty while every version is yanked, so that joins do not find the skill. */
    versionId: text("version_id").notNull(),
    /**
     * Both columns repeat the current version, so that a catalog is counted from the index alone. Tokens are -1 without a current version.
     */
    tokens: integer().notNull(),
    bindShells: text("bind_shells", { mode: "json" }).$type<string[]>(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [
    uniqueIndex("skills_scope_folded").on(t.scope, t.folded),
    index("skills_scope_name").on(t.scope, t.name, t.tokens, t.bindShells),
    // Ids sort by time. Vendors' APIs list by them.
    index("skills_scope_id").on(t.scope, t.id),
    // Here and in other tables: an erasure queries by creator (`schema/people.ts`).
    index("skills_user").on(t.userId),
  ],
);

/** Immutable. The row is the commit point of a publish: it is written only after `packages/<id>.zip`. */
export const versions = sqliteTable(
  "versions",
  {
    id: text().primaryKey(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** The version label of the manifest, if any. */
    label: text(),
    /** Digest of the content, see `domain/package/skill.ts`. */
    digest: text().notNull(),
    /** Level 1. */
    description: text().notNull(),
    displayName: text("display_name"),
    author: text(),
    tags: text({ mode: "json" }).$type<string[]>().notNull(),
    bindShells: text("bind_shells", { mode: "json" }).$type<string[]>(),
    dependencies: text({ mode: "json" }).$type<string[]>().notNull(),
    hasCapabilities: integer("has_capabilities", { mode: "boolean" }).notNull(),
    tokensDescription: integer("tokens_description").notNull(),
    tokensLine: integer("tokens_line").notNull(),
    tokensInstructions: integer("tokens_instructions").notNull(),
    tokensFiles: integer("tokens_files").notNull(),
    /** SHA-256 and size of the canonical ZIP, and SHA-256 of the upload. */
    zipSha256: text("zip_sha256").notNull(),
    zipSize: integer("zip_size").notNull(),
    uploadSha256: text("upload_sha256").notNull(),
    warnings: text({ mode: "json" }).$type<Issue[]>().notNull(),
    createdBy: text("created_by").notNull(),
    startedAt: integer("started_at").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    manifest: text({ mode: "json" }).$type<Manifest>().notNull(),
    frontmatter: text({ mode: "json" }).$type<JsonObject>().notNull(),
    files: text({ mode: "json" }).$type<PackageFile[]>().notNull(),
    /** Level 2. Near the end of the row, so that reading level 1 does not touch its pages. */
    instructions: text().notNull(),
    /**
     * Time of the yank. A later migration added it, so it follows the instructions. SQLite reads NULL from the row header without reading
     * their pages.
     */
    yankedAt: integer("yanked_at"),
  },
  (t) => [
    uniqueIndex("versions_skill_digest").on(t.skillId, t.digest),
    uniqueIndex("versions_skill_label").on(t.skillId, t.label),
    index("versions_skill_created").on(t.skillId, t.createdAt, t.id),
    index("versions_maker").on(t.createdBy),
    // A publish that took more than an hour must not commit: the sweep may already have deleted its object (DURATIONS.publish).
    check("versions_in_time", sql`${t.createdAt} < ${t.startedAt} + 3600000`),
  ],
);

/** Results of analysing a version's code, at publish time or later. In a table of its own because versions are immutable. */
export const versionCode = sqliteTable("version_code", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  /** `null` if the scripts were not analysed. */
  scripts: text({ mode: "json" }).$type<ScriptVerdict[]>(),
  /** The provider's tool descriptions; `null` if the provider is asked in a conversation. */
  described: text({ mode: "json" }).$type<Described>(),
});

/**
 * Numbers of the versions of a skill: 1, 2, … in the order of publishing. A trigger on `versions` writes the rows, so versions written by
 * earlier gateways have numbers too. In a table of its own, because reading a column behind the instructions would read their pages.
 */
export const versionNumbers = sqliteTable(
  "version_numbers",
  {
    versionId: text("version_id")
      .primaryKey()
      .references(() => versions.id, { onDelete: "cascade" }),
    skillId: text("skill_id").notNull(),
    number: integer().notNull(),
  },
  (t) => [uniqueIndex("version_numbers_skill").on(t.skillId, t.number)],
);

/** Signed statements about versions. Versions without a row are signed when their statement is first read. */
export const versionAttestations = sqliteTable(
  "version_attestations",
  {
    versionId: text("version_id")
      .primaryKey()
      .references(() => versions.id, { onDelete: "cascade" }),
    /** The id of the key that signed it. */
    keyId: text("key_id").notNull(),
    envelope: text({ mode: "json" }).$type<Envelope>().notNull(),
  },
  (t) => [index("version_attestations_key").on(t.keyId)],
);

/** Declared sources of versions, for those that have one. */
export const versionSources = sqliteTable(
  "version_sources",
  {
    versionId: text("version_id")
      .primaryKey()
      .references(() => versions.id, { onDelete: "cascade" }),
    source: text({ mode: "json" }).$type<SkillSource>().notNull(),
  },
  (t) => [
    index("version_sources_server").on(sql`json_extract(${t.source}, '$.server')`).where(isServersSkill(t.source)),
  ],
);

/** SQL: a version was approved from an MCP server. SQLite uses the index only for queries with exactly this expression. */
export function isServersSkill(source: SQLWrapper) {
  return sql`json_extract(${source}, '$.type') = 'mcp'`;
}

export const ghosts = sqliteTable(
  "ghosts",
  {
    id: text().primaryKey(),
    /** The creator; `0` for public ghosts, as with skills. */
    userId: text("user_id").notNull(),
    /** `group:<name>` or `public`; `null`: a user's own. */
    shared: text(),
    /**
     * The scope, as in the table of skills. The database generates it from the two columns above, so ghosts written by an earlier gateway
     * during a deployment have it too.
     */
    scope: text().notNull().generatedAlwaysAs(sql`coalesce(shared, 'user:' || user_id)`, { mode: "virtual" }),
    /** The group's name, `public`, or `default` for a user's own. Ghosts from before shared ghosts can be in a group's namespace. */
    namespace: text().notNull(),
    name: text().notNull(),
    folded: text().notNull(),
    spec: text({ mode: "json" }).$type<GhostSpec>().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [
    uniqueIndex("ghosts_scope_folded").on(t.scope, t.namespace, t.folded),
    index("ghosts_scope_name").on(t.scope, t.name),
    index("ghosts_user").on(t.userId),
  ],
);

/** The skills of a ghost, resolved in its scope when it was saved. `skillId` may refer to a deleted skill. */
export const ghostSkills = sqliteTable(
  "ghost_skills",
  {
    ghostId: text("ghost_id")
      .notNull()
      .references(() => ghosts.id, { onDelete: "cascade" }),
    position: integer().notNull(),
    name: text().notNull(),
    range: text().notNull(),
    skillId: text("skill_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.ghostId, t.position] }), index("ghost_skills_skill").on(t.skillId)],
);

export const keys = sqliteTable(
  "keys",
  {
    id: text().primaryKey(),
    /** SHA-256 of the whole key, hex. Keys have 256 random bits, so a plain digest is safe against guessing. */
    hash: text().notNull(),
    userId: text("user_id").notNull(),
    role: text({ enum: ["user", "admin"] }).notNull(),
    name: text(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    groups: text({ mode: "json" }).$type<string[]>().notNull(),
    expiresAt: integer("expires_at"),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    revokedAt: integer("revoked_at"),
    /** Sampled, not exact. */
    lastUsedAt: integer("last_used_at"),
    /** The key that this key replaces. */
    replaces: text(),
  },
  (t) => [index("keys_created").on(t.createdAt), index("keys_user").on(t.userId), index("keys_maker").on(t.createdBy)],
);

/** One counter per scope, raised in the batch of every change. Conversations compare it to detect a stale catalog. */
export const counters = sqliteTable("counters", {
  scope: text().primaryKey(),
  value: integer().notNull(),
});

/** Responses to uploads with an Idempotency-Key, written in the batch of the change. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    userId: text("user_id").notNull(),
    key: text().notNull(),
    /** SHA-256 of the request's content. Not of the raw body, because a retry has another multipart boundary. */
    request: text().notNull(),
    status: integer().notNull(),
    /** Id of the created version. The response is rebuilt from it. */
    subject: text().notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index("idempotency_created").on(t.createdAt)],
);
