// D1 tables of authorizations given to MCP hosts: codes, grants and access tokens. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Membership } from "../../../domain/access/access";
import { now } from "./registry";

/** How a user signed in and what was approved. Copied from the consent page to the code, and from the code to the grant. */
const approval = () => ({
  userId: text("user_id").notNull(),
  /** The method, and the id of the key or link. */
  via: text({ enum: ["key", "link", "issuer"] }).notNull(),
  viaId: text("via_id").notNull(),
  /** The key whose end also ends the grant. It may be deleted. */
  keyId: text("key_id"),
  /** Claims of the issuer's token. */
  claimed: text({ mode: "json" }).$type<readonly Membership[]>().notNull(),
  clientId: text("client_id").notNull(),
  clientName: text("client_name").notNull(),
  /** The canonical URL that tokens are valid for (RFC 8707). */
  resource: text().notNull(),
});

/** Single-use authorization codes. */
export const grantCodes = sqliteTable(
  "grant_codes",
  {
    /** SHA-256 of the code (256 random bits), hex. */
    hash: text().primaryKey(),
    ...approval(),
    redirectUri: text("redirect_uri").notNull(),
    challenge: text().notNull(),
    /** Latest end of the grant, whatever the settings say. */
    grantUntil: integer("grant_until"),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** The attempt that exchanged the code; equals the id of the grant. */
    claimedBy: text("claimed_by"),
  },
  (t) => [index("grant_codes_user").on(t.userId), index("grant_codes_expiry").on(t.expiresAt)],
);

/** One authorization of one host: a family of tokens. */
export const grants = sqliteTable(
  "grants",
  {
    id: text().primaryKey(),
    ...approval(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** The grant ends at this time unless it is refreshed. */
    idleUntil: integer("idle_until").notNull(),
    /** SHA-256 of the valid refresh token, its generation, and the deployment key it was derived with. */
    current: text().notNull(),
    generation: integer().notNull().default(0),
    derivedWith: text("derived_with").notNull(),
    /** SHA-256 of the previous refresh token, and the last time it was exchanged while its successor was still unused. */
    previous: text(),
    rotatedAt: integer("rotated_at"),
    /** Latest generation whose access token was used. It proves that the response arrived. */
    arrived: integer().notNull().default(-1),
    /** Sampled, not exact. */
    lastUsedAt: integer("last_used_at"),
    endedAt: integer("ended_at"),
    /** The reason, in one word. */
    endedBy: text("ended_by"),
  },
  (t) => [
    index("grants_user").on(t.userId, t.createdAt),
    index("grants_client").on(t.clientId),
    index("grants_created").on(t.createdAt),
    index("grants_idle").on(t.idleUntil),
    index("grants_ended").on(t.endedAt),
  ],
);

/** Access tokens. */
export const grantTokens = sqliteTable(
  "grant_tokens",
  {
    id: text().primaryKey(),
    grantId: text("grant_id")
      .notNull()
      .references(() => grants.id, { onDelete: "cascade" }),
    /** Generation of the refresh token issued in the same response. */
    generation: integer().notNull(),
    /** SHA-256 of the whole token, hex. */
    hash: text().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("grant_tokens_grant").on(t.grantId, t.createdAt), index("grant_tokens_expiry").on(t.expiresAt)],
);
