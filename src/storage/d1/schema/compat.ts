// The tables behind the doors for clients that people already have: which skills are open, their archives, and links. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { now, skills, versions } from "./registry";

/** Public skills that anybody may have without a key. */
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

/** The flat archive of a version, as R2 has it. A version has none before a door was asked for it. */
export const versionArchives = sqliteTable("version_archives", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  sha256: text().notNull(),
  size: integer().notNull(),
});

/** The same as a plugin: the skill in the folders that clients of plugins look into. */
export const versionPlugins = sqliteTable("version_plugins", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  sha256: text().notNull(),
  size: integer().notNull(),
});

/** Addresses that read skills without a key. What they may read is judged by their maker's rights, at each request. */
export const links = sqliteTable(
  "links",
  {
    id: text().primaryKey(),
    /** SHA-256 of the whole token, hex: 256 random bits, as with keys. */
    hash: text().notNull(),
    userId: text("user_id").notNull(),
    /** The key that it was made with and ends with, as `services/access/credential.ts` writes it. */
    credential: text().notNull(),
    name: text(),
    /** `own`, `group:<name>`, or `skills`: those that are named. */
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

/** What a skill was called for people by whoever made it through a vendor's API. Beside the skills: what SKILL.md says stays as it is. */
export const skillTitles = sqliteTable("skill_titles", {
  skillId: text("skill_id")
    .primaryKey()
    .references(() => skills.id, { onDelete: "cascade" }),
  title: text().notNull(),
});

/** Versions that an admin has blocked: no door hands them out. */
export const versionBlocks = sqliteTable(
  "version_blocks",
  {
    versionId: text("version_id")
      .primaryKey()
      .references(() => versions.id, { onDelete: "cascade" }),
    /** What whoever comes for it is told. */
    reason: text().notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [index("version_blocks_maker").on(t.createdBy)],
);

/** Files that a client uploads one by one, before it publishes them together. Their bytes are in R2, and both go within hours. */
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
    // The size is for the limit of a user, which is counted from the index alone.
    index("upload_parts_user").on(t.userId, t.createdAt, t.size),
    index("upload_parts_created").on(t.createdAt),
  ],
);
