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
