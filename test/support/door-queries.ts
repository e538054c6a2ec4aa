// A call of each function that stores what the doors for other clients need, for the test of plans.

import type { Database } from "../../src/storage/d1/database";
import * as archives from "../../src/storage/d1/doors/archives";
import * as links from "../../src/storage/d1/doors/links";
import * as open from "../../src/storage/d1/doors/open";
import * as shelf from "../../src/storage/d1/doors/shelf";
import { BIG_USER } from "./registry-10k";

const ALL = { scopes: [`user:${BIG_USER}`, "group:g", "public"], openOnly: false, ids: null };
const OPEN = { scopes: ["public"], openOnly: true, ids: null };

export const DOOR_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  readShelfRows: async (db) => {
    await shelf.readShelfRows(db, OPEN, { limit: 100 });
    await shelf.readShelfRows(db, ALL, { name: "skill-00050", limit: 3 });
    await shelf.readShelfRows(db, { ...ALL, ids: ["skl_0-1"] }, { versionIds: ["ver_0-1"], limit: 3 });
  },
  findArchive: (db) => archives.findArchive(db, ALL, "skill-00050", "digest"),
  keepArchives: (db) => archives.keepArchives(db, [{ versionId: "ver_0-1", sha256: "digest", size: 1 }]),
  insertDoorLink: (db) =>
    links.insertDoorLink(
      db,
      { id: "l1", hash: "", userId: BIG_USER, credential: "k", name: null, reads: "own", skills: [], expiresAt: 9 },
      ...([5, 50] as const),
    ),
  listLinks: (db) => links.listLinks(db, BIG_USER, 5),
  readDoorLink: (db) => links.readDoorLink(db, "l1"),
  noteLinkUse: (db) => links.noteLinkUse(db, "l1", 5),
  revokeLink: (db) => links.revokeLink(db, "l1"),
  forgetDoorLinks: (db) => links.forgetDoorLinks(db, 10),
  readScopesOf: (db) => links.readScopesOf(db, ["skl_0-1"]),
  insertOpen: (db) => open.insertOpen(db, "skl_0-1", "admin", 10),
  listOpen: (db) => open.listOpen(db),
  readOpen: (db) => open.readOpen(db, "skl_0-1"),
  deleteOpen: (db) => open.deleteOpen(db, "skl_0-1"),
};
