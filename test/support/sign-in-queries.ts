// Calls every function that stores data of the sign-in page, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import * as clients from "../../src/storage/d1/sign-in/clients";
import * as links from "../../src/storage/d1/sign-in/links";
import * as pages from "../../src/storage/d1/sign-in/pages";
import * as known from "../../src/storage/d1/sign-in/pre-registered-clients";
import { BIG_USER } from "./registry-10k";

const of = { id: "sin_1", browser: "b" };
const page = {
  ...of,
  ...{ clientId: "c", clientName: "C", clientHost: null, redirectUri: "http://127.0.0.1/", state: null },
  ...{ challenge: "x", resource: "https://gateway.test/mcp" },
};
const approved = {
  ...{ userId: BIG_USER, via: "key" as const, viaId: "k", keyId: "k", claimed: [] },
  ...{ clientId: "c", clientName: "C", resource: "https://gateway.test/mcp" },
  ...{ hash: "of a sign-in", redirectUri: "http://127.0.0.1/", challenge: "x", grantUntil: null },
};
const signedIn = { userId: BIG_USER, via: "key" as const, viaId: "k", keyId: "k", claimed: [], endsAt: null };

const knownClient = { name: "k", displayName: "K", redirectUris: [], secretHash: "h", createdBy: "admin" };

export const SIGN_IN_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  readClient: (db) => clients.readClient(db, "c"),
  putClient: (db) => clients.putClient(db, { id: "c", name: "C", host: null, redirectUris: [] }, 1_000),
  recordApproval: async (db) => clients.recordApproval(db, "c"),
  deleteUnusedClients: (db) => clients.deleteUnusedClients(db, 0),
  putPreRegisteredClient: (db) => known.putPreRegisteredClient(db, knownClient, 100),
  readPreRegisteredClient: (db) => known.readPreRegisteredClient(db, "k"),
  listPreRegisteredClients: async (db) => {
    await known.listPreRegisteredClients(db, 100, null);
    await known.listPreRegisteredClients(db, 100, "a");
  },
  deletePreRegisteredClient: (db) => known.deletePreRegisteredClient(db, "nothing"),
  insertPage: async (db) => pages.insertPage(db, page),
  insertConsolePage: async (db) => pages.insertConsolePage(db, { id: "sic_1", browser: "b" }, "/console"),
  consumeConsolePage: (db) => pages.consumeConsolePage(db, of),
  spendConsoleLink: (db) => links.spendConsoleLink(db, "h", "s1"),
  readPage: (db) => pages.readPage(db, of),
  countAttempt: (db) => pages.countAttempt(db, of, 5),
  setSignedInUser: (db) => pages.setSignedInUser(db, of, signedIn),
  clearSignedInUser: (db) => pages.clearSignedInUser(db, of),
  denyPage: (db) => pages.denyPage(db, of),
  approvePage: (db) => pages.approvePage(db, of, approved, 60_000),
  readApproved: (db) => pages.readApproved(db, of, "h"),
  deleteExpiredPages: (db) => pages.deleteExpiredPages(db, 0),
  insertLink: (db) =>
    links.insertLink(db, { id: "l", hash: "h", userId: BIG_USER, createdBy: "admin", session: null }, 10),
  readLink: (db) => links.readLink(db, "h"),
  readOpenedLink: (db) => links.readOpenedLink(db, "b"),
  openLink: (db) => links.openLink(db, "h", "b"),
  spendLink: (db) => links.spendLink(db, { hash: "h" }, "sin_1"),
  deleteExpiredLinks: (db) => links.deleteExpiredLinks(db, 0),
};
