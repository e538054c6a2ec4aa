// The tables of D1 that say what users have given MCP hosts: codes, grants, and the tokens of a grant. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Membership } from "../../../domain/access/access";
import { now } from "./registry";

/** How somebody signed in, and for what: a code has it from the consent page, a grant from its code. */
const approval = () => ({
  userId: text("user_id").notNull(),
  /** With what, and which. */
  via: text({ enum: ["key", "link", "issuer"] }).notNull(),
  viaId: text("via_id").notNull(),
  /** The key that the grant dies with. It may be gone. */
  keyId: text("key_id"),
  /** What the issuer's token claimed. */
  claimed: text({ mode: "json" }).$type<readonly Membership[]>().notNull(),
  clientId: text("client_id").notNull(),
  clientName: text("client_name").notNull(),
  /** The canonical URL that tokens are for. */
  resource: text().notNull(),
});

/** Codes that a host may exchange, once. */
export const grantCodes = sqliteTable(
  "grant_codes",
  {
    /** SHA-256 of the code, hex: it is 256 random bits. */
    hash: text().primaryKey(),
    ...approval(),
    redirectUri: text("redirect_uri").notNull(),
    challenge: text().notNull(),
    /** When the grant must end, whatever the settings say. */
    grantUntil: integer("grant_until"),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** The attempt that has exchanged it, which is the id of the grant. */
    claimedBy: text("claimed_by"),
  },
  (t) => [index("grant_codes_user").on(t.userId), index("grant_codes_expiry").on(t.expiresAt)],
);

/** One sign-in of one host: a family of tokens. */
export const grants = sqliteTable(
  "grants",
  {
    id: text().primaryKey(),
    ...approval(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** Without a refresh until then it is over. */
    idleUntil: integer("idle_until").notNull(),
    /** SHA-256 of the refresh token that counts, how many were before it, and which of the deployment's keys it was derived with. */
    current: text().notNull(),
    generation: integer().notNull().default(0),
    derivedWith: text("derived_with").notNull(),
    /** SHA-256 of the token that was exchanged for it, and when: the last time while nobody was seen to have the successor. */
    previous: text(),
    rotatedAt: integer("rotated_at"),
    /** The latest generation that somebody was seen to use the access token of: its answer has arrived. */
    arrived: integer().notNull().default(-1),
    /** Sampled, not exact. */
    lastUsedAt: integer("last_used_at"),
    endedAt: integer("ended_at"),
    /** In a word why. */
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
    /** That of the refresh token in the same answer. */
    generation: integer().notNull(),
    /** SHA-256 of the whole token, hex. */
    hash: text().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("grant_tokens_grant").on(t.grantId, t.createdAt), index("grant_tokens_expiry").on(t.expiresAt)],
);
