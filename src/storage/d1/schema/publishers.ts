// D1 tables of trusted publishing: publishers, the keys of their CI jobs, and the provenance of versions.

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Provenance } from "../../../domain/access/provenance";
import { now, versions } from "./registry";

/** CI jobs that can publish without a stored key. `scope` is `user:<id>`, `group:<name>` or `public`. */
export const publishers = sqliteTable(
  "publishers",
  {
    id: text().primaryKey(),
    scope: text().notNull(),
    name: text().notNull(),
    issuer: text().notNull(),
    audience: text().notNull(),
    claims: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    skills: text({ mode: "json" }).$type<string[]>().notNull(),
    keyMinutes: integer("key_minutes").notNull(),
    /** A new id with every change. Keys of other revisions are not valid. */
    revision: text().notNull(),
    /** The user for whom its keys act. */
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
    lastUsedAt: integer("last_used_at"),
    /** The last recorded refusal of a token. */
    refusedAt: integer("refused_at"),
    refusedFor: text("refused_for"),
  },
  (t) => [
    uniqueIndex("publishers_scope_name").on(t.scope, t.name),
    index("publishers_issuer").on(t.scope, t.issuer),
    index("publishers_maker").on(t.createdBy),
  ],
);

/**
 * Keys that were exchanged for tokens. A row outlives its publisher until its token has expired, so that a token is never exchanged twice.
 */
export const publishingKeys = sqliteTable(
  "publishing_keys",
  {
    id: text().primaryKey(),
    /** SHA-256 of the whole key, hex. */
    hash: text().notNull(),
    publisherId: text("publisher_id").notNull(),
    revision: text().notNull(),
    /** SHA-256 of the token's id, or of its signed part. */
    token: text().notNull().unique(),
    provenance: text({ mode: "json" }).$type<Provenance>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** Time after which neither key nor token is valid. */
    keptUntil: integer("kept_until").notNull(),
  },
  (t) => [index("publishing_keys_kept").on(t.keptUntil)],
);

/** Where versions of trusted publishers come from. */
export const versionProvenance = sqliteTable("version_provenance", {
  versionId: text("version_id")
    .primaryKey()
    .references(() => versions.id, { onDelete: "cascade" }),
  provenance: text({ mode: "json" }).$type<Provenance>().notNull(),
});
