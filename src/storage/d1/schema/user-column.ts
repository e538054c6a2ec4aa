// Describes a D1 column that refers to a user: see `people.ts`.

import type { SQL } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";

/** The counts that an erasure returns. */
export type ErasureCount = "keys" | "grants" | "secrets" | "ghosts" | "memberships";

export interface UserColumn {
  table: SQLiteTable;
  column: SQLiteColumn;
  /** How the column identifies its user: by id, by the scope `user:<id>`, or by the pseudonym of the audit log. */
  holds: "user" | "scope" | "pseudonym";
  /** Name and columns in an export, or a sentence that says why the rows are not exported or which code exports them. */
  exported: { as: string; columns: Record<string, SQLiteColumn> } | string;
  /**
   * `deleted` in the first step of an erasure; `renamed` to the pseudonym, or `forgotten` (deleted), in the last step; or a sentence that
   * says which code erases the rows or why they stay.
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
