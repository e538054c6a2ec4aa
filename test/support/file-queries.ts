// Calls every function that stores script files, for the query plan test.

import * as runFiles from "../../src/storage/d1/conversation/run-files";
import type { Database } from "../../src/storage/d1/database";
import { BIG_USER } from "./registry-10k";

const KEPT_IN = { userId: BIG_USER, conversation: "one" };
const PAGE = 100;

export const keptFile = (id: string) => ({
  ...{ id, ...KEPT_IN, object: `runs/${id}`, path: "/workspace/a", size: 1, createdAt: 5 },
});

export const FILE_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  reserveRunFiles: async (db) => {
    await runFiles.reserveRunFiles(db, [keptFile("fil_1"), keptFile("fil_2")], { since: 0, most: 9e9 });
    const folder = { path: "results/", most: 9e9 };
    await runFiles.reserveRunFiles(db, [keptFile("fil_1")], { since: 0, most: 9e9, folder });
  },
  readRunFiles: (db) => runFiles.readRunFiles(db, KEPT_IN, ["fil_1", "fil_2"], 0),
  listRunFiles: async (db) => {
    await runFiles.listRunFiles(db, KEPT_IN, { since: 0, limit: PAGE, after: null });
    await runFiles.listRunFiles(db, KEPT_IN, { since: 0, limit: PAGE, after: { createdAt: 5, id: "fil_2" } });
  },
  expiredRunFiles: (db) => runFiles.expiredRunFiles(db, 9, PAGE),
  existingRunFiles: (db) => runFiles.existingRunFiles(db, ["fil_1", "fil_2", "fil_none"]),
  deleteRunFiles: (db) => runFiles.deleteRunFiles(db, ["fil_none"]),
};
