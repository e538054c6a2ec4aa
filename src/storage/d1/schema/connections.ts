// D1 tables of connections: users' sign-ins to MCP servers that require OAuth. See `registry.ts`.

import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { AuthorizationServer } from "../../../domain/connections/authorization-server";
import { now } from "./registry";

/** A value encrypted with a deployment key: AES-GCM, base64. See `services/secrets/encryption.ts`. */
const sealed = () => ({
  keyId: text("key_id").notNull(),
  iv: text().notNull(),
  ciphertext: text().notNull(),
});

/** The server that a user connects: `scope` is `gateway`, `group:<name>` or `user:<id>`. */
const server = () => ({
  userId: text("user_id").notNull(),
  scope: text().notNull(),
  server: text().notNull(),
  /** The server's URL when the user signed in. A connection is not used for another URL. */
  url: text().notNull(),
  issuer: text().notNull(),
});

/**
 * One row per user and server, and a pending one that replaces it when it is proved. The tokens are used for that user's calls only.
 */
export const connections = sqliteTable(
  "connections",
  {
    id: text().primaryKey(),
    ...server(),
    /** The resource indicator sent to the issuer (RFC 8707); `null` if the server publishes no metadata. */
    resource: text(),
    /** The issuer's endpoints, for refreshing and revoking. */
    endpoints: text({ mode: "json" }).$type<AuthorizationServer>().notNull(),
    /** The encrypted tokens, with the client they were issued to. */
    ...sealed(),
    /** The scopes that the issuer granted, separated by spaces. */
    granted: text(),
    /** `pending`: not used until a page proves that its user has signed in. */
    state: text({ enum: ["pending", "active", "ended"] }).notNull(),
    /** SHA-256 of the proof that activates a pending connection, hex, and the time until which it can be used. */
    proof: text(),
    proofUntil: integer("proof_until"),
    /** Rises with each refresh. */
    generation: integer().notNull().default(0),
    /** The attempt that is refreshing the tokens, and the time until which others wait for it. */
    lease: text(),
    leaseUntil: integer("lease_until"),
    /** End of the access token; `null` if the issuer states none. */
    expiresAt: integer("expires_at"),
    refreshedAt: integer("refreshed_at"),
    /** The reason in one word, for an ended connection. */
    endedBy: text("ended_by"),
    createdAt: integer("created_at").notNull().default(now),
    updatedAt: integer("updated_at").notNull().default(now),
  },
  (t) => [
    uniqueIndex("connections_server").on(t.userId, t.scope, t.server, t.state),
    index("connections_issuer").on(t.issuer),
    index("connections_key").on(t.keyId),
    index("connections_proof").on(t.proofUntil),
  ],
);

/** Sign-ins in progress, one per link. */
export const connectRequests = sqliteTable(
  "connect_requests",
  {
    id: text().primaryKey(),
    ...server(),
    resource: text(),
    endpoints: text({ mode: "json" }).$type<AuthorizationServer>().notNull(),
    /** The encrypted client and, from `sent` on, the PKCE verifier. */
    ...sealed(),
    /** Scopes to request. */
    wanted: text(),
    /** The page to return to, which then proves its user; `null` if the user signs in on the gateway's page. */
    returnTo: text("return_to"),
    /** The conversation whose call waits for the connection, and its question. */
    conversation: text(),
    question: text(),
    /** `open`, then `sent` to the issuer by a browser, then `done`. */
    stage: text({ enum: ["open", "sent", "done"] }).notNull(),
    /** SHA-256 of the secret in the browser's cookie, and of the state sent to the issuer, hex. */
    browser: text(),
    stateHash: text("state_hash"),
    /** Number of keys that were tried. */
    tries: integer().notNull().default(0),
    createdAt: integer("created_at").notNull().default(now),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [index("connect_requests_user").on(t.userId), index("connect_requests_expiry").on(t.expiresAt)],
);

/** The gateway's registrations at issuers (RFC 7591), shared by all users. */
export const upstreamClients = sqliteTable(
  "upstream_clients",
  {
    issuer: text().notNull(),
    redirectUri: text("redirect_uri").notNull(),
    ...sealed(),
    /** End of the client secret; `null` if it does not expire. */
    expiresAt: integer("expires_at"),
    createdAt: integer("created_at").notNull().default(now),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.redirectUri] }), index("upstream_clients_key").on(t.keyId)],
);
