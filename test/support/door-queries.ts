// A call of each function that stores what the doors for other clients need, for the test of plans.

import type { Database } from "../../src/storage/d1/database";
import * as open from "../../src/storage/d1/doors/open";

export const DOOR_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  insertOpen: (db) => open.insertOpen(db, "skl_0-1", "admin", 10),
  listOpen: (db) => open.listOpen(db),
  readOpen: (db) => open.readOpen(db, "skl_0-1"),
  deleteOpen: (db) => open.deleteOpen(db, "skl_0-1"),
};
