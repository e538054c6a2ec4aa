// The tables of D1 behind the sign-in page: programs of strangers and of admins, sign-ins that are under way, and links that sign
// somebody in. See `registry.ts`.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { LinkedSession } from "../../../domain/console/session";
import type { SignedIn } from "../../../domain/sign-in/signed-in";
import { now } from "./registry";

/** Programs that registered themselves, and what was read about those whose id is an address. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** The host of the document; `null` for who registered itself. */
    host: text(),
    /** Empty where the document could not be read. */
    redirectUris: text("redirect_uris", { mode: "json" }).$type<readonly string[]>().notNull(),
    createdAt: integer("created_at").notNull().default(now),
    /** When a user last approved it. */
    approvedAt: integer("approved_at"),
    /** Until when it counts as it is: a document is then asked for again, and who registered itself is forgotten. */
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("oauth_clients_expiry").on(t.expiresAt)],
);

/**
 * Programs that an admin has made known, each with a secret. Not in the table of strangers' programs, where a gateway of before would
 * let them in without it.
 */
export const preRegisteredClients = sqliteTable(
  "known_clients",
  {
    name: text().primaryKey(),
    displayName: text("display_name").notNull(),
    redirectUris: text("redirect_uris", { mode: "json" }).$type<readonly string[]>().notNull(),
    /** SHA-256 of the secret, hex: it is 256 random bits. */
    secretHash: text("secret_hash").notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [index("known_clients_maker").on(t.createdBy)],
);

/** One row for each sign-in that a page is open for. */
export const signIns = sqliteTable(
  "sign_ins",
  {
    id: text().primaryKey(),
    /** SHA-256 of what the browser's cookie holds, hex. */
    browser: text().notNull(),
    /** `open`, then `shown` to somebody who has signed in, then ended by the answer. */
    stage: text({ enum: ["open", "shown", "approved", "denied"] }).notNull(),
    clientId: text("client_id").notNull(),
    /** As it was when the page was opened: what is approved is what was shown. */
    clientName: text("client_name").notNull(),
    clientHost: text("client_host"),
    redirectUri: text("redirect_uri").notNull(),
    state: text(),
    challenge: text().notNull(),
    resource: text().notNull(),
    /** Keys that were tried. */
    tries: integer().notNull().default(0),
    userId: text("user_id"),
    signedIn: text("signed_in", { mode: "json" }).$type<SignedIn>(),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** `console`: nobody is asked for a consent, and `redirect_uri` is a place in the console. */
    purpose: text({ enum: ["consent", "console"] })
      .notNull()
      .default("consent"),
  },
  (t) => [index("sign_ins_user").on(t.userId), index("sign_ins_expiry").on(t.expiresAt)],
);

/** Links that sign a user in, once. */
export const signInLinks = sqliteTable(
  "sign_in_links",
  {
    id: text().primaryKey(),
    /** SHA-256 of the secret in the link, hex. */
    hash: text().notNull().unique(),
    userId: text("user_id").notNull(),
    createdBy: text("created_by").notNull(),
    /** SHA-256 of the cookie of the browser that opened it: no other may use it then. */
    browser: text().unique(),
    /** The sign-in that it was used for. */
    usedFor: text("used_for"),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
    /** The session of the console that it opens, and it opens nothing else then; `null`: it signs a program's user in. */
    session: text({ mode: "json" }).$type<LinkedSession>(),
  },
  (t) => [
    index("sign_in_links_user").on(t.userId),
    index("sign_in_links_maker").on(t.createdBy),
    index("sign_in_links_expiry").on(t.expiresAt),
  ],
);
