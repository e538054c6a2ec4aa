// The tables of D1. Migrations are made from this file by `npm run migrate:new`; the search index (FTS5) is written by hand
// beside them, since drizzle-kit does not model virtual tables. docs/storage.md explains every table to a reader.

import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { GhostSpec } from "../../../domain/catalog/ghost";
import type { SkillSource } from "../../../domain/catalog/source";
import type { ScriptVerdict } from "../../../domain/code/check/verdict";
import type { Described } from "../../../domain/conversation/offered";
import type { Issue } from "../../../domain/errors";
import type { JsonObject } from "../../../domain/json";
import type { Manifest, PackageFile } from "../../../domain/package/skill";

/** Milliseconds since the epoch, by the database's clock. */
export const now = sql`(cast(unixepoch('subsec') * 1000 as integer))`;

/** One row a skill, pointing at its current version. `scope` is `user:<id>`, `group:<name>` or `public`. */
export const skills = sqliteTable(
  "skills",
  {
    /** The rowid of the search index; never leaves the storage layer. */
    seq: integer().primaryKey({ autoIncrement: true }),
    id: text().notNull().unique(),
    scope: text().notNull(),
    name: text().notNull(),
    /** The name after NFC and case folding: two skills of one scope may not share it. */
    folded: text().notNull(),
    namespace: text().notNull(),
    /** Who owns it; `0` for public skills, as in the predecessor system. */
    userId: text("user_id").notNull(),
    /** The current version; empty while every version is yanked, so that nothing which joins it finds the skill. */
    versionId: text("version_id").notNull(),
    /**
     * Both as of the current version: a catalog is counted from the index alone, without a look at any version. Tokens are -1
     * while there is none.
     */
    tokens: integer().notNull(),
    bindShells: text("bind_shells", { mode: "json" }).$type<string[]>(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [
    uniqueIndex("skills_scope_folded").on(t.scope, t.folded),
    index("skills_scope_name").on(t.scope, t.name, t.tokens, t.bindShells),
    // Ids sort by time: lists of vendors' APIs are by it.
    index("skills_scope_id").on(t.scope, t.id),
    // Here and in other tables: an erasure asks who made a thing (`schema/people.ts`).
    index("skills_user").on(t.userId),
  ],
);

/** Immutable. The row is the commit point of a publish: it exists only after `packages/<id>.zip` does. */
export const versions = sqliteTable(
  "versions",
  {
    id: text().primaryKey(),
    skillId: text("skill_id")
      .notNull()
      .references(() => skills.id, { onDelete: "cascade" }),
    /** The manifest's version label, if it has one. */
    label: text(),
    /** Identity of the content, see `domain/package/skill.ts`. */
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
    /** SHA-256 and size of the canonical ZIP, and SHA-256 of the upload it was made from. */
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
    /** Level 2, last in the row so that reading level 1 never touches its pages. */
    instructions: text().notNull(),
    /**
     * When it was yanked. It stands behind the instructions, since a column can only be added at the end, and costs no look at
     * their pages: NULL is told by the row's head.
     */
    yankedAt: integer("yanked_at"),
  },
  (t) => [
    uniqueIndex("versions_skill_digest").on(t.skillId, t.digest),
    uniqueIndex("versions_skill_label").on(t.skillId, t.label),
    index("versions_skill_created").on(t.skillId, t.createdAt, t.id),
    index("versions_maker").on(t.createdBy),
    // A publish that hung for an hour may not commit: its object may already be taken for an orphan (DURATIONS.publish).
    check("versions_in_time", sql`${t.createdAt} < ${t.startedAt} + 3600000`),
  ],
);

/**
 * What was found out of a version's code, when it was published or later. Beside the versions, which never change: a gateway that finds
 * out more writes it here.
 */
export const versionCode = sqliteTable("version_code", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  /** `null` where nobody could judge them. */
  scripts: text({ mode: "json" }).$type<ScriptVerdict[]>(),
  /** What its provider says of its tools; `null` where it is asked in a conversation. */
  described: text({ mode: "json" }).$type<Described>(),
});

/**
 * The versions of a skill by number: 1, 2, … in the order in which they were published, and none twice. A trigger on `versions` makes the
 * rows, so that a version which a gateway from before numbers writes has one too; beside the versions, since a column behind the
 * instructions would be read by way of their pages.
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

/** Where versions are said to have been taken from, of those that are said to; beside the versions, as their numbers are. */
export const versionSources = sqliteTable("version_sources", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  source: text({ mode: "json" }).$type<SkillSource>().notNull(),
});

export const ghosts = sqliteTable(
  "ghosts",
  {
    id: text().primaryKey(),
    /** Who made it; `0` for public ones, as with skills. */
    userId: text("user_id").notNull(),
    /** `group:<name>` or `public`; `null`: its user's own. */
    shared: text(),
    /**
     * As with skills, of both columns above. The database makes it, so that a ghost which a gateway from before shared ones writes
     * while this one is being deployed has it too.
     */
    scope: text().notNull().generatedAlwaysAs(sql`coalesce(shared, 'user:' || user_id)`, { mode: "virtual" }),
    /** The group's name, `public`, or for a user's own `default`; one from before shared ghosts may be in a group's, too. */
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

/** The skills of a ghost, resolved in its scope when it was saved. `skillId` may point at a skill that is gone. */
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
    /** SHA-256 of the whole key, hex. Keys are 256 random bits, so a plain digest cannot be searched. */
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
    /** The key that this one was made to replace. */
    replaces: text(),
  },
  (t) => [index("keys_created").on(t.createdAt), index("keys_user").on(t.userId), index("keys_maker").on(t.createdBy)],
);

/** One counter a scope, raised in the batch of every change to it: how a conversation knows its catalog is stale. */
export const counters = sqliteTable("counters", {
  scope: text().primaryKey(),
  value: integer().notNull(),
});

/** Answers to uploads under an Idempotency-Key, written in the batch of their effect. */
export const idempotency = sqliteTable(
  "idempotency",
  {
    userId: text("user_id").notNull(),
    key: text().notNull(),
    /** SHA-256 over what was asked; not over the body's bytes, since a retry draws a new multipart boundary. */
    request: text().notNull(),
    status: integer().notNull(),
    /** The id of the version that was made; the answer is rebuilt from it. */
    subject: text().notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [primaryKey({ columns: [t.userId, t.key] }), index("idempotency_created").on(t.createdAt)],
);
