// Calls every function that stores imports, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import * as imports from "../../src/storage/d1/imports/imports";
import * as items from "../../src/storage/d1/imports/items";
import { BIG_USER } from "./registry-10k";

const SCOPE = `user:${BIG_USER}`;
const RUN = { id: "imp_1", run: 1 };
const NEW = {
  ...{ id: "imp_1", scope: SCOPE, identity: "digest", userId: BIG_USER, credential: "k", isMirror: true, startedAt: 1 },
  source: { type: "index", url: "https://skills.dev/" } as const,
};
const ITEM = { state: "created", problem: null, digest: null, versionId: null } as const;

export const IMPORT_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  beginImport: (db) => imports.beginImport(db, NEW, 5),
  readImport: (db) => imports.readImport(db, "imp_1"),
  findImport: (db) => imports.findImport(db, SCOPE, "digest"),
  listImports: (db) => imports.listImports(db, [SCOPE, "public"]),
  ownImports: (db) => imports.ownImports(db, SCOPE),
  stalledImports: (db) => imports.stalledImports(db, 5, 10),
  putItem: async (db) => {
    await items.putItem(db, RUN, { ...ITEM, name: "skill-00050", skillId: "skl_0-1" });
    await items.putItem(db, RUN, { ...ITEM, name: "other", skillId: null });
  },
  keepItems: (db) => items.keepItems(db, RUN, ["skill-00050"]),
  storedItemsOf: (db) => items.storedItemsOf(db, "imp_1"),
  findExistingNames: (db) => items.findExistingNames(db, { id: "imp_1", scope: SCOPE }, ["skill-00050", "absent"]),
  countItems: (db) => items.countItems(db, RUN),
  listItems: async (db) => {
    await items.listItems(db, RUN, null, 10, "");
    await items.listItems(db, RUN, "failed", 10, "a");
    await items.listItems(db, RUN, "removed", 10, "");
  },
  markRemoved: (db) => items.markRemoved(db, { ...RUN, run: 2 }, 5),
  updateImport: (db) => imports.updateImport(db, RUN, { state: "done" }),
  restartMirror: (db) => imports.restartMirror(db, RUN, 5),
  cancelImport: (db) => imports.cancelImport(db, "imp_1"),
  deleteImport: (db) => imports.deleteImport(db, "imp_1"),
};
