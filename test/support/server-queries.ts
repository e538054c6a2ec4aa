// Calls every function that stores servers of groups and users, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import { approveTools } from "../../src/storage/d1/mcp-servers";
import { findSkillNamed, skillsOfServer } from "../../src/storage/d1/registry/server-skills";
import { recordServerDown, recordServerUp } from "../../src/storage/d1/servers/health";
import { datedServers, openServers } from "../../src/storage/d1/servers/listed-servers";
import * as own from "../../src/storage/d1/servers/user-servers";
import { BIG_USER } from "./registry-10k";

const SCOPE = `user:${BIG_USER}`;

/** Calls by the name of the function. */
export const SERVER_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  putUserServer: (db) => own.putUserServer(db, { scope: SCOPE, name: "notes", entry: {}, createdBy: BIG_USER }, 9),
  readUserServer: (db) => own.readUserServer(db, SCOPE, "notes"),
  listUserServers: async (db) => {
    await own.listUserServers(db, SCOPE, 100, null);
    await own.listUserServers(db, SCOPE, 100, "a");
  },
  serversNamed: (db) => own.serversNamed(db, [SCOPE, "group:g"], "notes"),
  everyServer: (db) => own.everyServer(db, [SCOPE, "group:g"]),
  recordServerDown: async (db) => {
    await recordServerDown(db, { scope: SCOPE, name: "notes" });
    await recordServerDown(db, { scope: null, name: "one" });
  },
  recordServerUp: async (db) => {
    await recordServerUp(db, { scope: SCOPE, name: "notes" });
    await recordServerUp(db, { scope: null, name: "one" });
  },
  deleteUserServer: (db) => own.deleteUserServer(db, SCOPE, "notes"),
  openServers: (db) => openServers(db),
  datedServers: (db) => datedServers(db, [SCOPE, "group:g"]),
  skillsOfServer: (db) => skillsOfServer(db, "notes"),
  findSkillNamed: (db) => findSkillNamed(db, "public", "notes"),
  approveTools: (db) => approveTools(db, "one", { a: "digest" }),
};
