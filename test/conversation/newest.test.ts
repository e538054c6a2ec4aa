// Callers come from isolates with caches of different age. A conversation never returns to an older state.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { Membership } from "../../src/domain/access/access";
import { conversationOf } from "../../src/edge/conversation";
import type { Caller } from "../../src/services/context";
import { unwrap } from "../../src/services/conversation/api";
import { guardSession, openDatabase } from "../../src/storage/d1/database";
import { readIdentity } from "../../src/storage/d1/identity";
import { raiseCounters } from "../../src/storage/d1/keys";
import { groupMembers, groups } from "../../src/storage/d1/schema/access";
import { clearRegistry, deleteSkill, type SeededSkill, seedSkill } from "../support/registry";

let users = 0;
let user = "";
let team = "";

beforeEach(async () => {
  await clearRegistry();
  user = `newest-${users++}`;
  team = `team-${user}`;
  await openDatabase(env.DB, { storage: 0 }).insert(groups).values({ name: team, folded: team, createdBy: "x" });
});

/** A caller as read now. */
async function read(claimed: readonly Membership[] = [], keyId = "key"): Promise<Caller> {
  const session = env.DB.withSession("first-primary");
  const guarded = guardSession(session, { storage: 0 });
  const { groups: member, counters } = await readIdentity(guarded, { keyId: "", userId: user, claimed });
  const principal = { userId: user, role: "user" as const, groups: member, scopes: [], keyId };
  return { principal, counters, asOf: session.getBookmark(), requestId: "newest", stale: false };
}

async function join(): Promise<void> {
  const db = openDatabase(env.DB, { storage: 0 });
  await db.batch([
    db.insert(groupMembers).values({ groupName: team, userId: user, role: "Developer", createdBy: "x" }),
    raiseCounters(db, [`user:${user}`]),
  ]);
}

async function leave(): Promise<void> {
  const db = openDatabase(env.DB, { storage: 0 });
  await db.batch([db.delete(groupMembers), raiseCounters(db, [`user:${user}`])]);
}

const objectOf = () => env.CONVERSATIONS.getByName(JSON.stringify([user, "c"]));
const at = (caller: Caller) => conversationOf(env, caller, "c");
const nothing = {
  key: null,
  history: null,
  history_cut: false,
  selected_skills: [],
  message: null,
  have: null,
  model: null,
};
const turn = { ...nothing, format: null, cache: null, usage: null, history_tokens: null };

async function begin(caller: Caller, settings: object | null = {}) {
  const { api, target } = at(caller);
  return unwrap(await api.turn(target, settings, turn, null));
}

async function use(caller: Caller, name: string, args: object) {
  const { api, target } = at(caller);
  const calls = [{ id: crypto.randomUUID(), name, arguments: { ...args } }];
  const request = { calls, format: null, etag: null, usage: null, client: null };
  const reply = unwrap(await api.toolCalls(target, request, null));
  return { ...reply, text: JSON.stringify(reply.results), names: reply.active.map(({ skill }) => skill) };
}

async function look(caller: Caller) {
  const { api, target } = at(caller);
  return unwrap(await api.status(target)).active.map(({ skill }) => skill);
}

/** All that the object has stored. */
const storedNow = () =>
  runInDurableObject(objectOf(), (_, { storage }) => {
    const own = "name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'";
    const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND ${own}`;
    const names = storage.sql.exec<{ name: string }>(tables).toArray();
    expect(names.map(({ name }) => name)).toContain("meta");
    return JSON.stringify(names.map(({ name }) => [name, storage.sql.exec(`SELECT * FROM ${name}`).toArray()]));
  });

const OF_TEAM = "team-skill";
const seedTeam = () => seedSkill({ name: OF_TEAM, scope: `group:${team}`, body: "Of the team." });
const open = (): Promise<SeededSkill> => seedSkill({ name: "open", body: "Open." });

describe("an older caller after a newer one", () => {
  it("unloads no published skill, and keeps groups that the user has joined since", async () => {
    const early = await read();
    await begin(early);
    await seedTeam();
    await join();
    await open();
    const late = await read();
    await use(late, "load_skill", { skill_name: OF_TEAM });
    expect((await use(late, "load_skill", { skill_name: "open" })).names.sort()).toEqual(["open", OF_TEAM]);
    const before = await storedNow();
    expect((await look(early)).sort()).toEqual(["open", OF_TEAM]);
    expect(await storedNow()).toBe(before);
    expect((await use(early, "read_skill", { skill_name: OF_TEAM })).names.sort()).toEqual(["open", OF_TEAM]);
    expect((await begin(early)).active.map(({ skill }) => skill).sort()).toEqual(["open", OF_TEAM]);
  });

  it("does the same after the object was evicted", async () => {
    const early = await read();
    await begin(early);
    await seedTeam();
    await join();
    const late = await read();
    await use(late, "load_skill", { skill_name: OF_TEAM });
    await evictDurableObject(objectOf());
    const before = await storedNow();
    await evictDurableObject(objectOf());
    expect(await look(early)).toEqual([OF_TEAM]);
    expect(await storedNow()).toBe(before);
    expect((await use(early, "read_skill", { skill_name: OF_TEAM })).names).toEqual([OF_TEAM]);
  });

  it("has nothing back that the user has lost", async () => {
    await seedTeam();
    await join();
    const early = await read();
    await begin(early);
    expect((await use(early, "load_skill", { skill_name: OF_TEAM })).names).toEqual([OF_TEAM]);
    await leave();
    const late = await read();
    expect((await use(late, "read_skill", { skill_name: OF_TEAM })).names).toEqual([]);
    const again = await use(early, "load_skill", { skill_name: OF_TEAM });
    expect(again.names).toEqual([]);
    expect(again.text).toContain("not available");
  });

  it("sees no skill again that a newer one has seen deleted, also when both ask at once", async () => {
    const gone = await open();
    const early = await read();
    await begin(early);
    await use(early, "load_skill", { skill_name: "open" });
    await deleteSkill(gone);
    await seedSkill({ name: "other" });
    const late = await read();
    const steps = [early, late, early, late, early].map((caller) => use(caller, "read_skill", { skill_name: "other" }));
    expect((await Promise.all(steps))[1]?.names).toEqual([]);
    const before = await storedNow();
    expect(await look(early)).toEqual([]);
    expect(await storedNow()).toBe(before);
    expect((await use(early, "load_skill", { skill_name: "open" })).text).toContain("not available");
  });
});

describe("a caller that only reads", () => {
  it("stores nothing, however new", async () => {
    const skill = await open();
    const early = await read();
    await begin(early);
    await use(early, "load_skill", { skill_name: "open" });
    await deleteSkill(skill);
    const before = await storedNow();
    const late = await read();
    const { api, target } = at(late);
    expect(await look(late)).toEqual([]);
    unwrap(await api.prompt(target, null));
    unwrap(await api.taskSkills(target));
    unwrap(await api.events(target, 0, 10));
    expect(await storedNow()).toBe(before);
    // A later request never sees an older state than an earlier one, although nothing is stored yet.
    expect(await look(early)).toEqual([]);
    expect((await use(early, "read_skill", { skill_name: "x" })).names).toEqual([]);
  });
});

describe("groups that a token claims", () => {
  const claims: Membership[] = [];
  beforeEach(() => claims.splice(0, claims.length, { group: team, role: "Developer" }));

  it("are that token's, and no other caller's of the same user", async () => {
    await seedTeam();
    const early = await read();
    const token = await read(claims, "jwt:1:token");
    await begin(token);
    expect((await use(token, "load_skill", { skill_name: OF_TEAM })).names).toEqual([OF_TEAM]);
    for (const caller of [early, await read()]) {
      const step = await use(caller, "load_skill", { skill_name: OF_TEAM });
      expect(step.names).toEqual([]);
      expect(step.text).not.toContain("Of the team.");
      expect(await look(caller)).toEqual([]);
    }
  });

  it("stay a token's that came with older facts", async () => {
    await seedTeam();
    const early = await read(claims, "jwt:1:token");
    await begin(early);
    await use(early, "load_skill", { skill_name: OF_TEAM });
    await open();
    await look(await read());
    expect((await use(early, "load_skill", { skill_name: "open" })).names.sort()).toEqual(["open", OF_TEAM]);
  });
});
