// How a column of D1 that holds a user is described: see `people.ts`.

import type { SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** What an erasure counts for its answer. */
export type ErasureCount = "keys" | "grants" | "secrets" | "ghosts" | "memberships";

export interface UserColumn {
  table: SQLiteTable;
  column: SQLiteColumn;
  /** What the column names its user by: the id, the scope `user:<id>`, or the pseudonym of the audit log. */
  holds: "user" | "scope" | "pseudonym";
  /** The name and the columns that the rows have in an export; or, in words, why they are in none or who reads them. */
  exported: { as: string; columns: Record<string, SQLiteColumn> } | string;
  /**
   * `deleted` by the first step of an erasure; `renamed` to the pseudonym, or `forgotten` with its row, by the last; or, in words,
   * who erases the rows or why they stay.
   */
  erased:
    | { how: "deleted"; counted?: ErasureCount }
    | { how: "renamed"; only?: SQL }
    | { how: "forgotten" }
    | { why: string };
}

export const MAKER = "who made a thing that is somebody else's, or that is exported by its owner";
export const READER = "who may use somebody else's draft; the drafts are their authors'";
export const OF_CODES = "a minute's codes; what came of them is with the grants";
export const OF_HOURS = "files of two hours that become a version, or nothing";
export const OF_MINUTES = "sign-ins of the last ten minutes; what came of one is its grant";
export const DELETED = { how: "deleted" } as const;
export const TO_PSEUDONYM = { how: "renamed" } as const;
export const FORGOTTEN = { how: "forgotten" } as const;
