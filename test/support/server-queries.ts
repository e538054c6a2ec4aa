// Calls every function that stores servers of groups and users, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import { approveTools } from "../../src/storage/d1/mcp-servers";
import { findSkillNamed, skillsOfServer } from "../../src/storage/d1/registry/server-skills";
import * as checks from "../../src/storage/d1/servers/checks";
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
  dueServers: (db) => checks.dueServers(db, { working: 9, jitter: 9, failing: 9 }),
  addServerChecks: (db) =>
    checks.addServerChecks(db, [{ server: "one", at: 1, url: "https://a.example/", ms: 1, problem: null }]),
  recentServerChecks: (db) => checks.recentServerChecks(db, "one", 100),
  deleteOldServerChecks: (db) => checks.deleteOldServerChecks(db, 2),
  serverSkillStates: (db) => checks.serverSkillStates(db, "one"),
  putServerSkillState: (db) =>
    checks.putServerSkillState(db, {
      ...{ skillId: "skl_0-1", server: "one", uri: "skill://a/SKILL.md", state: "approved", checkedAt: 1 },
    }),
  approveTools: (db) => approveTools(db, "one", { a: "digest" }),
};
