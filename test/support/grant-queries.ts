// Calls every function that stores codes and grants, for the query plan test.

import { expect } from "vitest";
import type { Database } from "../../src/storage/d1/database";
import * as codes from "../../src/storage/d1/sign-in/codes";
import * as uses from "../../src/storage/d1/sign-in/grant-use";
import * as grants from "../../src/storage/d1/sign-in/grants";
import { BIG_USER } from "./registry-10k";

const approval = {
  ...{ userId: BIG_USER, via: "key" as const, viaId: "k", keyId: null, claimed: [] },
  ...{ clientId: "c", clientName: "C", resource: "https://gateway.test/mcp" },
};
const code = { ...approval, hash: "h", redirectUri: "http://127.0.0.1/", challenge: "x", grantUntil: null };

const token = (id: string) => ({ id, hash: id, life: 60_000 });
const redemption = (grantId: string) => ({
  ...{ hash: "h1", clientId: code.clientId, redirectUri: code.redirectUri, challenge: code.challenge },
  ...{ userId: BIG_USER, grantId, refresh: { hash: `r-${grantId}`, derivedWith: "k" }, token: token(`t-${grantId}`) },
  ...{ life: 60_000, idle: 60_000 },
});

export const GRANT_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  insertCode: async (db) => codes.insertCode(db, code, 60_000),
  readCode: (db) => codes.readCode(db, "h"),
  redeemCode: async (db) => {
    await codes.insertCode(db, { ...code, hash: "h1" }, 60_000);
    expect((await grants.redeemCode(db, redemption("g1")))?.isLive).toBe(true);
    expect(await grants.redeemCode(db, redemption("g2"))).toBeNull();
  },
  rotateGrant: async (db) => {
    await codes.insertCode(db, { ...code, hash: "h3" }, 60_000);
    await grants.redeemCode(db, { ...redemption("g3"), hash: "h3" });
    const successor = { hash: "r2", derivedWith: "k" };
    const asked = { grantId: "g3", shown: "r-g3", successor, token: token("t-rotated"), idle: 60_000 };
    expect(await grants.rotateGrant(db, asked)).toMatchObject({ previous: "r-g3", current: "r2", generation: 1 });
  },
  readGrant: (db) => grants.readGrant(db, "g1"),
  readTokenGrant: (db) => grants.readTokenGrant(db, "t-g1"),
  listGrants: async (db) => {
    await grants.listGrants(db, null, 100, { createdAt: Date.now(), id: "a" });
    await grants.listGrants(db, BIG_USER, 100, null);
  },
  noteGrantUse: (db) => uses.noteGrantUse(db, { id: "g1", generation: 0 }, 2, 1),
  endGrant: (db) => grants.endGrant(db, "nothing", "revoked"),
  endGrantsOf: (db) => grants.endGrantsOf(db, "nobody", "revoked"),
  deleteExpiredGrants: (db) => grants.deleteExpiredGrants(db, { tokens: 0, grants: 0 }),
  deleteExpiredCodes: (db) => codes.deleteExpiredCodes(db, 0),
};
