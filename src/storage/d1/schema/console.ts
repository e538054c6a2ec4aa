// D1 table of console sessions. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Membership } from "../../../domain/access/access";
import { CONSOLE_SIGN_IN_METHODS } from "../../../domain/console/session";
import { now } from "./registry";

/** One row per live session. Ended sessions have none. */
export const consoleSessions = sqliteTable(
  "console_sessions",
  {
    id: text().primaryKey(),
    /** SHA-256 of the cookie's secret, hex. */
    hash: text().notNull(),
    userId: text("user_id").notNull(),
    /** The user's display name from the issuer. */
    name: text(),
    role: text({ enum: ["user", "admin"] }).notNull(),
    scopes: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    via: text({ enum: CONSOLE_SIGN_IN_METHODS }).notNull(),
    /** The stored key whose end also ends the session; `null` if it comes from no stored key. */
    keyId: text("key_id"),
    /** Digest of the environment key or issuer settings that the session depends on. */
    mark: text(),
    /** Claims of the issuer's token. */
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

/** The columns that a session's user can read. */
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
