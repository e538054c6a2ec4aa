import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Principal } from "../../../src/domain/access/access";
import { parseSettings, type Settings } from "../../../src/domain/settings/settings";
import { identityStoresOf } from "../../../src/edge/context";
import { credentialOf, isLive } from "../../../src/services/access/credential";
import { openDatabase } from "../../../src/storage/d1/database";
import { insertKey, revokeKey } from "../../../src/storage/d1/keys";
import { forgetting } from "../../support/isolate";

const db = openDatabase(env.DB.withSession("first-primary"), { storage: 0 }, forgetting);
const settingsOf = (key?: string) => parseSettings(key === undefined ? {} : { GATEWAY_ADMIN_KEY: key }).settings!;
const settings = settingsOf("sgw_an_admin_key_of_some_length");
const principal = (keyId: string): Principal => ({ userId: "ann", role: "user", groups: [], scopes: [], keyId });
const now = 1_000_000;
const places = (settings: Settings) => ({
  ...identityStoresOf(env, { storage: 0 }, (work) => void work),
  settings,
  now: () => now,
});

async function make(id: string, more: { userId?: string; scopes?: string[]; expiresAt?: number } = {}) {
  await insertKey(db, {
    id,
    hash: id,
    role: "user",
    groups: [],
    scopes: [],
    userId: "ann",
    createdBy: "admin",
    ...more,
  });
  return credentialOf(settings, principal(id));
}

it("counts while the key is there, in time, and its user's or a service's", async () => {
  const live = (credential: string) => isLive(places(settings), credential, "ann");
  expect(await live(await make("own"))).toBe(true);
  expect(await live(await make("later", { expiresAt: now + 1 }))).toBe(true);
  expect(await live(await make("over", { expiresAt: now }))).toBe(false);
  expect(await live(await make("other", { userId: "bob" }))).toBe(false);
  expect(await live(await make("service", { userId: "bob", scopes: ["act_as"] }))).toBe(true);
  expect(await live("never-made")).toBe(false);
  await revokeKey(db, "own", now);
  expect(await live("own")).toBe(false);
});

it("counts for the environment's key until that is another", async () => {
  const credential = await credentialOf(settings, principal("env"));
  expect(credential).not.toContain(settings.GATEWAY_ADMIN_KEY);
  expect(await isLive(places(settings), credential, "ann")).toBe(true);
  expect(await isLive(places(settingsOf("sgw_another_admin_key_of_some_length")), credential, "ann")).toBe(false);
  expect(await isLive(places(settingsOf()), credential, "ann")).toBe(false);
});
