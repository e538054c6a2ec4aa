// A call of each function that stores codes and grants, for the test of plans.

import type { Database } from "../../src/storage/d1/database";
import * as codes from "../../src/storage/d1/sign-in/codes";
import { BIG_USER } from "./registry-10k";

const approval = {
  ...{ userId: BIG_USER, via: "key" as const, viaId: "k", keyId: "k", claimed: [] },
  ...{ clientId: "c", clientName: "C", resource: "https://gateway.test/mcp" },
};
const code = { ...approval, hash: "h", redirectUri: "http://127.0.0.1/", challenge: "x", grantUntil: null };

export const GRANT_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  insertCode: async (db) => codes.insertCode(db, code, 60_000),
  forgetCodes: (db) => codes.forgetCodes(db, 0),
};
