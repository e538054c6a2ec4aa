// Calls every function that stores console sessions, for the query plan test.

import * as sessions from "../../src/storage/d1/console/sessions";
import type { Database } from "../../src/storage/d1/database";
import { BIG_USER } from "./registry-10k";

const session = (id: string): sessions.SessionToStore => ({
  ...{
    id,
    hash: `of ${id}`,
    userId: BIG_USER,
    name: null,
    role: "user",
    scopes: [],
    via: "key",
    keyId: "k",
    mark: null,
  },
  ...{ claimed: [], expiresAt: Date.now() + 60_000 },
});

export const CONSOLE_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  insertSession: (db) => sessions.insertSession(db, session("s1"), 20, { id: "s0", hash: "of s0" }),
  readSession: (db) => sessions.readSession(db, "s1"),
  listSessions: async (db) => {
    await sessions.listSessions(db, null, 100, { createdAt: Date.now(), id: "a" });
    await sessions.listSessions(db, BIG_USER, 100, null);
  },
  endSession: (db) => sessions.endSession(db, "nothing"),
  noteSessionUse: (db) => sessions.noteSessionUse(db, "s1", Date.now(), Date.now()),
  deleteExpiredSessions: (db) => sessions.deleteExpiredSessions(db, 0),
};
