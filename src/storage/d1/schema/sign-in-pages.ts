// D1 tables of the sign-in page: OAuth clients, sign-ins in progress, and sign-in links. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LinkedSession } from "../../../domain/console/session";
import type { SignedIn } from "../../../domain/sign-in/grant";
import { now } from "./registry";

/** Clients that registered themselves (RFC 7591), and cached client id metadata documents. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** Host of the metadata document; `null` for a registered client. */
    host: text(),
    /** Empty if the document could not be read. */
    redirectUris: text("redirect_uris", { mode: "json" }).$type<readonly string[]>().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    /** Time of the last approval by a user. */
    approvedAt: integer("approved_at"),
    /** End of validity: a document is fetched again, a registered client is deleted. */
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("oauth_clients_expiry").on(t.expiresAt)],
);

/**
 * Clients that an admin registered, each with a secret. They have a table of their own because earlier gateways accept every row of
 * `oauth_clients` without a secret.
 */
export const preRegisteredClients = sqliteTable(
  "known_clients",
  {
    name: text().primaryKey(),
    displayName: text("display_name").notNull(),
    redirectUris: text("redirect_uris", { mode: "json" }).$type<readonly string[]>().notNull(),
    /** SHA-256 of the secret (256 random bits), hex. */
    secretHash: text("secret_hash").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [index("known_clients_maker").on(t.createdBy)],
);

/** One row per sign-in with an open page. */
export const signIns = sqliteTable(
  "sign_ins",
  {
    id: text().primaryKey(),
    /** SHA-256 of the secret in the browser's cookie, hex. */
    browser: text().notNull(),
    /** `open`, then `shown` after a user signed in, then ended by `approved` or `denied`. */
    stage: text({ enum: ["open", "shown", "approved", "denied"] }).notNull(),
    clientId: text("client_id").notNull(),
    /** The name when the page was opened, so that the user approves the name that was shown. */
    clientName: text("client_name").notNull(),
    clientHost: text("client_host"),
    redirectUri: text("redirect_uri").notNull(),
    state: text(),
    challenge: text().notNull(),
    resource: text().notNull(),
    /** Number of keys that were tried. */
    tries: integer().notNull().default(0),
    userId: text("user_id"),
    signedIn: text("signed_in", { mode: "json" }).$type<SignedIn>(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** `console`: a sign-in to the console without consent; `redirect_uri` is a console path. */
    purpose: text({ enum: ["consent", "console"] })
      .notNull()
      .default("consent"),
  },
  (t) => [index("sign_ins_user").on(t.userId), index("sign_ins_expiry").on(t.expiresAt)],
);

/** Single-use links that sign a user in. */
export const signInLinks = sqliteTable(
  "sign_in_links",
  {
    id: text().primaryKey(),
    /** SHA-256 of the secret in the link, hex. */
    hash: text().notNull().unique(),
    userId: text("user_id").notNull(),
    createdBy: text("created_by").notNull(),
    /** SHA-256 of the cookie of the browser that opened the link. Only that browser can use it. */
    browser: text().unique(),
    /** The sign-in that used the link. */
    usedFor: text("used_for"),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** The console session that the link starts; such a link starts nothing else. `null`: it signs in a client's user. */
    session: text({ mode: "json" }).$type<LinkedSession>(),
  },
  (t) => [
    index("sign_in_links_user").on(t.userId),
    index("sign_in_links_maker").on(t.createdBy),
    index("sign_in_links_expiry").on(t.expiresAt),
  ],
);
