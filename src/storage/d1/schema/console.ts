// The table of D1 with the sessions of the console. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Membership } from "../../../domain/access/access";
import { CONSOLE_SIGN_IN_METHODS } from "../../../domain/console/session";
import { now } from "./registry";

/** One row for each sign-in that goes on. What has ended has none. */
export const consoleSessions = sqliteTable(
  "console_sessions",
  {
    id: text().primaryKey(),
    /** SHA-256 of what the browser's cookie holds, hex. */
    hash: text().notNull(),
    userId: text("user_id").notNull(),
    /** What the issuer calls the user. */
    name: text(),
    role: text({ enum: ["user", "admin"] }).notNull(),
    scopes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    via: text({ enum: CONSOLE_SIGN_IN_METHODS }).notNull(),
    /** The stored key that the session ends with; `null` where it comes from no such key. */
    keyId: text("key_id"),
    /** What the settings must still say of the environment's key, or of the issuer, that it comes from. */
    mark: text(),
    /** What the issuer's token claimed. */
    claimed: text({ mode: "json" }).$type<readonly Membership[]>().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    /** Sampled, not exact. */
    lastUsedAt: integer("last_used_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [
    index("console_sessions_user").on(t.userId, t.createdAt),
    index("console_sessions_created").on(t.createdAt),
    index("console_sessions_expiry").on(t.expiresAt),
  ],
);

/** What its user gets of a session. */
export const SESSION_FACTS = {
  as: "sessions",
  columns: {
    id: consoleSessions.id,
    via: consoleSessions.via,
    created_at: consoleSessions.createdAt,
    expires_at: consoleSessions.expiresAt,
    last_used_at: consoleSessions.lastUsedAt,
  },
};
