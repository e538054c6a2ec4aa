// Calls every function that stores ghosts, for the query plan test.

import { expect } from "vitest";
import type { Database } from "../../src/storage/d1/database";
import * as ghosts from "../../src/storage/d1/ghosts";
import * as references from "../../src/storage/d1/registry/ghost-references";
import * as views from "../../src/storage/d1/views";
import { ghost } from "./big-rows";
import { BIG_USER } from "./registry-10k";

const OWN = `user:${BIG_USER}`;
const SCOPES = [OWN, "group:g", "public"];
const PAGE = 100;

export const GHOST_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  readGhost: async (db) => {
    await ghosts.insertGhost(db, "gho_named", { scope: "public", userId: "0" }, ghost("named"));
    expect((await views.readGhost(db, SCOPES, "named"))?.resolved).toHaveLength(1);
    expect((await views.readGhost(db, [OWN], "gho_named"))?.id).toBeUndefined();
  },
  readGhostById: (db) => ghosts.readGhostById(db, "gho_1"),
  readGhostByName: (db) => ghosts.readGhostByName(db, OWN, "default", "one"),
  listGhosts: async (db) => {
    const all = { after: null, skip: 0, limit: PAGE };
    await ghosts.listGhosts(db, SCOPES, { namespace: undefined, name: undefined }, all);
    await ghosts.listGhosts(
      db,
      SCOPES,
      { namespace: "default", name: undefined },
      { ...all, after: { namespace: "default", folded: "a", shared: "public" } },
    );
    await ghosts.listGhosts(db, SCOPES, { namespace: undefined, name: "one" }, all);
    await ghosts.listGhosts(db, SCOPES, { namespace: undefined, name: undefined, q: "on" }, all);
  },
  insertGhost: (db) => ghosts.insertGhost(db, "gho_1", { scope: OWN, userId: BIG_USER }, ghost("one")),
  updateGhost: async (db) => {
    const changed = await ghosts.updateGhost(db, "gho_1", OWN, ghost("two"));
    await ghosts.updateGhost(db, "gho_1", OWN, ghost("two"), changed?.updatedAt ?? null);
  },
  deleteGhostRows: (db) => ghosts.deleteGhostRows(db, "gho_2", OWN),
  readReferences: (db) => references.readReferences(db, SCOPES, "skl_0-0"),
  removeReferences: async (db) => {
    await references.removeReferences(db, SCOPES, "skl_0-0", "gho_1");
    await references.removeReferences(db, SCOPES, "skl_0-0");
  },
};
