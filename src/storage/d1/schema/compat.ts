// D1 tables for clients of other registries: open skills, archives and links. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { now, skills, versions } from "./registry";

/** Public skills that can be read without a key. */
export const openSkills = sqliteTable(
  "open_skills",
  {
    skillId: text("skill_id")
      .primaryKey()
      .references(() => skills.id, { onDelete: "cascade" }),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [index("open_skills_maker").on(t.createdBy)],
);

/** The flat archive of a version in R2. Created when a client first requests it. */
export const versionArchives = sqliteTable("version_archives", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  sha256: text().notNull(),
  size: integer().notNull(),
});

/** The plugin archive of a version: the skill in the folders that plugin clients read. */
export const versionPlugins = sqliteTable("version_plugins", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  sha256: text().notNull(),
  size: integer().notNull(),
});

/** URLs that read skills without a key. Each request checks the rights of the link's creator. */
export const links = sqliteTable(
  "links",
  {
    id: text().primaryKey(),
    /** SHA-256 of the whole token (256 random bits), hex. */
    hash: text().notNull(),
    userId: text("user_id").notNull(),
    /** The key that created the link and whose end revokes it, as written by `services/access/credential.ts`. */
    credential: text().notNull(),
    name: text(),
    /** `own`, `group:<name>`, or `skills` for the named ones. */
    reads: text().notNull(),
    skills: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    revokedAt: integer("revoked_at"),
    uses: integer().notNull().default(0),
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [index("links_user").on(t.userId, t.createdAt, t.id), index("links_expires").on(t.expiresAt)],
);

/** Display titles set through a vendor's API. Stored separately so that SKILL.md stays unchanged. */
export const skillTitles = sqliteTable("skill_titles", {
  skillId: text("skill_id")
    .primaryKey()
    .references(() => skills.id, { onDelete: "cascade" }),
  title: text().notNull(),
});

/** Versions that an admin has blocked. Clients of other registries cannot download them. */
export const versionBlocks = sqliteTable(
  "version_blocks",
  {
    versionId: text("version_id")
      .primaryKey()
      .references(() => versions.id, { onDelete: "cascade" }),
    /** The reason that clients receive. */
    reason: text().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [index("version_blocks_maker").on(t.createdBy)],
);

/** Files that a client uploads one by one before publishing them together. Rows and R2 objects are deleted within hours. */
export const uploadParts = sqliteTable(
  "upload_parts",
  {
    id: text().primaryKey(),
    userId: text("user_id").notNull(),
    sha256: text().notNull(),
    size: integer().notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [
    // Includes the size, so that a user's total is read from the index alone.
    index("upload_parts_user").on(t.userId, t.createdAt, t.size),
    index("upload_parts_created").on(t.createdAt),
  ],
);
