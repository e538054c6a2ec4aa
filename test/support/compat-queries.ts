// Calls every function that stores data for compatible clients, for the query plan test.

import * as archives from "../../src/storage/d1/compat/archives";
import * as links from "../../src/storage/d1/compat/links";
import * as open from "../../src/storage/d1/compat/open-skills";
import * as plugins from "../../src/storage/d1/compat/plugins";
import * as shelf from "../../src/storage/d1/compat/published-index";
import * as shelfVersions from "../../src/storage/d1/compat/published-versions";
import * as parts from "../../src/storage/d1/compat/upload-parts";
import * as vendor from "../../src/storage/d1/compat/vendor-skills";
import * as blocks from "../../src/storage/d1/compat/version-blocks";
import type { Database } from "../../src/storage/d1/database";
import { versionPlugins } from "../../src/storage/d1/schema/compat";
import * as search from "../../src/storage/d1/search";
import { BIG_USER } from "./registry-10k";

const ALL = { scopes: [`user:${BIG_USER}`, "group:g", "public"], openOnly: false, ids: null };
const OPEN = { scopes: ["public"], openOnly: true, ids: null };

export const DOOR_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  readPublishedSkills: async (db) => {
    await shelf.readPublishedSkills(db, OPEN, { limit: 100 });
    await shelf.readPublishedSkills(db, ALL, { name: "skill-00050", limit: 3 });
    await shelf.readPublishedSkills(db, { ...ALL, ids: ["skl_0-1"] }, { versionIds: ["ver_0-1"], limit: 3 });
  },
  searchOpenSkills: (db) => search.searchOpenSkills(db, "tides and common words", 100),
  findArchive: async (db) => {
    await archives.findArchive(db, ALL, "skill-00050", "digest");
    await archives.findArchive(db, ALL, "skill-00050", "digest", versionPlugins);
  },
  keepArchives: async (db) => {
    const made = [{ versionId: "ver_0-1", sha256: "digest", size: 1 }];
    await archives.keepArchives(db, made);
    await archives.keepArchives(db, made, versionPlugins);
  },
  readPluginRows: (db) => plugins.readPluginRows(db, ["ver_0-1", "ver_0-2"]),
  readVendorSkill: (db) => vendor.readVendorSkill(db, "skl_0-1"),
  listVendorSkillsByName: (db) => vendor.listVendorSkillsByName(db, "public", "skill-05000", 100),
  listVendorSkillsByTime: async (db) => {
    await vendor.listVendorSkillsByTime(db, "public", { after: null, order: "desc", limit: 100 });
    await vendor.listVendorSkillsByTime(db, "public", { after: "skl_0-5", order: "asc", limit: 100 });
  },
  listVendorVersions: async (db) => {
    await vendor.listVendorVersions(db, "skl_0-1", { after: 5, order: "desc", limit: 100 });
    await vendor.listVendorVersions(db, "skl_0-1", { order: "desc", limit: 1, key: { id: "ver_0-1" } });
    await vendor.listVendorVersions(db, "skl_0-1", { order: "desc", limit: 1, key: { number: 1 } });
    await vendor.listVendorVersions(db, "skl_0-1", { order: "desc", limit: 1, key: { createdAt: 5, rest: 1 } });
  },
  readVersionNumber: (db) => vendor.readVersionNumber(db, "skl_0-1", "ver_0-1"),
  reservePart: (db) =>
    parts.reservePart(
      db,
      { id: "upl_1", userId: BIG_USER, sha256: "x", size: 1, createdAt: 5 },
      { since: 0, parts: 10, bytes: 100 },
    ),
  readUploadParts: (db) => parts.readUploadParts(db, BIG_USER, ["upl_1", "upl_none"], 0),
  deleteUploadParts: (db) => parts.deleteUploadParts(db, ["upl_none"]),
  deleteExpiredParts: (db) => parts.deleteExpiredParts(db, 9),
  readPublishedVersions: async (db) => {
    await shelfVersions.readPublishedVersions(db, "skl_0-1", { before: null, limit: 10 });
    await shelfVersions.readPublishedVersions(db, "skl_0-1", { before: 2, limit: 10 });
    await shelfVersions.readPublishedVersions(db, "skl_0-1", { label: "1.0.0", number: 1 });
  },
  readPublishedVersion: (db) => shelfVersions.readPublishedVersion(db, "ver_0-1"),
  readNewestFiles: (db) => shelfVersions.readNewestFiles(db, "skl_0-1", 10),
  readNextNumber: (db) => shelfVersions.readNextNumber(db, "public", "skill-00050"),
  putBlock: (db) => blocks.putBlock(db, "ver_0-1", "Bad.", "admin"),
  readBlock: (db) => blocks.readBlock(db, "ver_0-1"),
  deleteBlock: (db) => blocks.deleteBlock(db, "ver_0-1"),
  insertSharedLink: (db) =>
    links.insertSharedLink(
      db,
      { id: "l1", hash: "", userId: BIG_USER, credential: "k", name: null, reads: "own", skills: [], expiresAt: 9 },
      ...([5, 50] as const),
    ),
  listLinks: (db) => links.listLinks(db, BIG_USER, 5),
  readSharedLink: (db) => links.readSharedLink(db, "l1"),
  noteLinkUse: (db) => links.noteLinkUse(db, "l1", 5),
  revokeLink: (db) => links.revokeLink(db, "l1"),
  deleteExpiredSharedLinks: (db) => links.deleteExpiredSharedLinks(db, 10),
  readScopesOf: (db) => links.readScopesOf(db, ["skl_0-1"]),
  insertOpen: (db) => open.insertOpen(db, "skl_0-1", "admin", 10),
  listOpen: (db) => open.listOpen(db),
  readOpen: (db) => open.readOpen(db, "skl_0-1"),
  deleteOpen: (db) => open.deleteOpen(db, "skl_0-1"),
};
