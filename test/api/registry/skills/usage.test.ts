// Usage counts of skills: counted in each conversation, added to the totals once an hour, visible to maintainers of the skill.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, publishPublic, talk } from "../../../support/chat-turns";
import { holdClockAtNoon, objectOf, pass, releaseClock, ring } from "../../../support/clock";
import { expectLog } from "../../../support/logs";
import { providerSkill } from "../../../support/provider";
import { clearRegistry } from "../../../support/registry";
import { HOUR, runCron, sendCounts, usageOf } from "../../../support/skill-use";

const S = "/api/v1/kinds/skills";
const NONE = { loads: 0, calls: 0, failures: 0, tokens: 0 };

beforeEach(async () => {
  await clearRegistry();
  holdClockAtNoon();
});
afterEach(releaseClock);

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  return (await env.DB.prepare(`SELECT * FROM ${table}`).all<Record<string, unknown>>()).results;
}

const idOf = (chat: { route: string }) => chat.route.slice(chat.route.lastIndexOf("/") + 1);

/** Returns a D1 whose batches throw: before they run if `before` is true, otherwise after they ran. */
function deaf(db: D1Database, before: boolean): D1Database {
  return new Proxy(db, {
    get(target, name) {
      if (name !== "withSession") return Reflect.get(target, name, target);
      return (...given: [string]) => {
        const session = target.withSession(...given);
        const batch = async (statements: D1PreparedStatement[]) => {
          if (!before) await session.batch(statements);
          throw new Error("Network connection lost.");
        };
        return new Proxy(session, {
          get(open, member) {
            if (member === "batch") return batch;
            const value: unknown = Reflect.get(open, member, open);
            return typeof value === "function" ? value.bind(open) : value;
          },
        });
      };
    },
  });
}

async function withDatabase(user: string, chat: { route: string }, db: D1Database): Promise<void> {
  await runInDurableObject(objectOf(idOf(chat), user), (object: object) => {
    const open = object as { env: object };
    open.env = { ...open.env, DB: db };
  });
}

describe("the use of a skill", () => {
  it("has loads, calls, failures and tokens by day and version, once an hour has passed", async () => {
    const tools = { echo: "return 'said'", fail: "throw new Error('no')" };
    const { id } = await publishPublic(providerSkill("echoes", tools, { version: "1.0.0", body: "Say it again." }));
    const chat = await talk("uses-ada");
    await chat.turn();
    await chat.load("echoes");
    await chat.use("echo");
    await chat.use("fail");
    await chat.use("echo", { text: "more" });
    expect(await usageOf(id)).toMatchObject({ totals: NONE, days: [], versions: [] });
    pass(HOUR - 1);
    await ring(idOf(chat), "uses-ada");
    expect((await usageOf(id)).totals).toEqual(NONE);
    pass(1);
    await ring(idOf(chat), "uses-ada");
    const used = await usageOf(id);
    const { tokens } = used.totals;
    expect(tokens).toBeGreaterThan(2);
    expect(used.totals).toEqual({ loads: 1, calls: 3, failures: 1, tokens });
    const today = new Date(Date.now() - HOUR).toISOString().slice(0, 10);
    expect(used.days).toEqual([{ day: today, ...used.totals }]);
    expect(used.versions).toMatchObject([{ version: "1.0.0", ...used.totals }]);
    // The next hour adds to it; an hour without calls does not.
    await sendCounts(chat, "uses-ada");
    expect((await usageOf(id)).totals).toEqual(used.totals);
    await chat.turn();
    await chat.load("echoes");
    await sendCounts(chat, "uses-ada");
    expect((await usageOf(id)).totals).toEqual({ loads: 2, calls: 3, failures: 1, tokens });
  });

  it("is summed for all skills that the caller manages, by day, most loaded first, and for the days before", async () => {
    const shared = await publishPublic({ name: "shared", body: "Shared words." });
    const rare = await publishPublic({ name: "rare", body: "Rare words." });
    const key = await keyFor("uses-eve");
    const own = await publishOwn(key, { name: "eves", body: "Eve's words." });
    const chat = await talk("uses-eve");
    for (const name of ["shared", "eves", "rare", "shared"]) {
      await chat.turn();
      await chat.load(name);
    }
    await sendCounts(chat, "uses-eve");
    const all = async (days: number, key?: string) => {
      const answer = await call("GET", `${S}/usage?days=${days}`, key === undefined ? {} : { key });
      expect(answer.status).toBe(200);
      return answer.json<{ skills: number; totals: object; before: object; days: object[]; top: object[] }>();
    };
    const admin = await all(1);
    expect(admin).toMatchObject({ skills: 2, totals: { loads: 3, calls: 0, failures: 0 }, before: NONE });
    expect(admin.days).toMatchObject([{ loads: 3 }]);
    expect(admin.top).toMatchObject([
      { skill_id: shared.id, skill_name: "shared", loads: 2 },
      { skill_id: rare.id, loads: 1 },
    ]);
    const cut = await call("GET", `${S}/usage?days=1&top=1`);
    expect(await cut.json()).toMatchObject({ skills: 2, top: [{ skill_id: shared.id }] });
    expect(await all(1, key)).toMatchObject({ skills: 1, totals: { loads: 1 }, top: [{ skill_id: own.id }] });
    expect(await all(30, await keyFor("uses-nobody"))).toMatchObject({ skills: 0, totals: NONE, days: [], top: [] });
    pass(24 * HOUR);
    expect(await all(1)).toMatchObject({ skills: 0, totals: NONE, before: { loads: 3 }, days: [], top: [] });
    expect((await call("GET", `${S}/usage?days=31`)).status).toBe(400);
  });

  it("counts what a user selects once, and what another skill brings as tokens only", async () => {
    const base = await publishPublic({ name: "base", body: "Base words." });
    const needy = await publishPublic({ name: "needy", body: "Needy words.", frontmatter: "dependencies: [base]" });
    const chat = await talk("uses-bob", { additional_skills: ["needy"] });
    for (let turn = 0; turn < 3; turn++) await chat.turn();
    const preloading = await talk("uses-bob", { spec: { skills: ["*"], preload_skills: ["base"] } });
    await preloading.turn();
    const loading = await talk("uses-bob");
    await loading.turn();
    await loading.load("needy");
    for (const one of [chat, preloading, loading]) await sendCounts(one, "uses-bob");
    expect((await usageOf(needy.id)).totals.loads).toBe(2);
    const { loads, tokens } = (await usageOf(base.id)).totals;
    expect([loads, tokens > 0]).toEqual([0, true]);
  });

  it.each(["lost on the way", "lost on the way back"])("is counted once when the batch is %s", async (what) => {
    expectLog("storage_failed");
    const { id } = await publishPublic({ name: "once" });
    const user = `uses-${what.replaceAll(" ", "-")}`;
    const chat = await talk(user);
    await chat.turn();
    await chat.load("once");
    const { DB } = env;
    await withDatabase(user, chat, deaf(DB, what === "lost on the way"));
    await sendCounts(chat, user);
    // New counts go into a second batch. It waits until the outcome of the first batch is clear.
    await chat.turn();
    await chat.load("once");
    await evictDurableObject(objectOf(idOf(chat), user));
    await sendCounts(chat, user);
    expect((await usageOf(id)).totals.loads).toBe(1);
    await sendCounts(chat, user);
    await sendCounts(chat, user);
    expect((await usageOf(id)).totals.loads).toBe(2);
  });

  it("of a batch that could not be sent for days are dropped, and the idle conversation is still deleted", async () => {
    expectLog("storage_failed");
    expectLog("skill_use_dropped");
    const { id } = await publishPublic({ name: "never" });
    const chat = await talk("uses-never");
    await chat.turn();
    await chat.load("never");
    await withDatabase("uses-never", chat, deaf(env.DB, false));
    await sendCounts(chat, "uses-never");
    expect((await usageOf(id)).totals.loads).toBe(1);
    await evictDurableObject(objectOf(idOf(chat), "uses-never"));
    // The database has deleted the id of the batch by now.
    pass(5 * 24 * HOUR);
    await runCron();
    await sendCounts(chat, "uses-never");
    expect((await usageOf(id)).totals.loads).toBe(1);
    pass(30 * 24 * HOUR);
    await ring(idOf(chat), "uses-never");
    expect((await call("GET", chat.route, { key: chat.key })).status).toBe(404);
  });

  it("goes with its skill, and what is still on its way is no trouble", async () => {
    const { id } = await publishPublic({ name: "gone" });
    const other = await publishPublic({ name: "stays" });
    const chat = await talk("uses-gone");
    await chat.turn();
    await chat.load("gone");
    await sendCounts(chat, "uses-gone");
    expect((await rowsOf("skill_use")).map((row) => row.skill_id)).toContain(id);
    await chat.turn();
    await chat.load("gone");
    await chat.load("stays");
    expect((await call("DELETE", `${S}/${id}`)).status).toBe(204);
    expect((await rowsOf("skill_use")).map((row) => row.skill_id)).not.toContain(id);
    await sendCounts(chat, "uses-gone");
    const left = (await rowsOf("skill_use")).map((row) => row.skill_id);
    expect([left.includes(id), left.includes(other.id)]).toEqual([false, true]);
  });

  it("of a conversation that its user deletes is not sent any more", async () => {
    const { id } = await publishPublic({ name: "dropped" });
    const chat = await talk("uses-dropped");
    await chat.turn();
    await chat.load("dropped");
    expect((await call("DELETE", chat.route, { key: chat.key })).status).toBe(204);
    expect(await ring(idOf(chat), "uses-dropped")).toBe(false);
    expect((await usageOf(id)).totals).toEqual(NONE);
  });

  it("name no user, and are stored for four hundred days", async () => {
    const { id } = await publishPublic({ name: "quiet" });
    const chat = await talk("uses-nameless");
    await chat.turn();
    await chat.load("quiet");
    await sendCounts(chat, "uses-nameless");
    const rows = [...(await rowsOf("skill_use")), ...(await rowsOf("skill_use_batches"))];
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain("nameless");
    expect(JSON.stringify(rows)).not.toContain(idOf(chat));
    pass(399 * 24 * HOUR);
    await runCron();
    expect((await usageOf(id, undefined, "?days=400")).totals.loads).toBe(1);
    expect((await usageOf(id)).totals).toEqual(NONE);
    pass(2 * 24 * HOUR);
    await runCron();
    expect((await rowsOf("skill_use")).filter((row) => row.skill_id === id)).toEqual([]);
    expect(await rowsOf("skill_use_batches")).toEqual([]);
  });

  it("of own skills are in the user's export", async () => {
    const key = await keyFor("uses-own");
    await publishOwn(key, { name: "mine", body: "Mine." });
    const chat = await talk({ key });
    await chat.turn();
    await chat.load("mine");
    await sendCounts(chat, "uses-own");
    const { skills } = await (await call("GET", "/api/v1/users/uses-own/export", { key })).json<{ skills: object[] }>();
    expect(skills).toMatchObject([{ skill: "mine", loads: 1, calls: 0, failures: 0 }]);
  });

  it("is visible to the users who manage the skill, and to no other member, user or admin", async () => {
    const owner = await keyFor("uses-owner");
    const { id } = await publishOwn(owner, { name: "private" });
    expect((await usageOf(id, owner)).totals).toEqual(NONE);
    for (const key of [await keyFor("uses-eve"), undefined]) {
      const answer = await call("GET", `${S}/${id}/usage`, key === undefined ? {} : { key });
      expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([404, "SKILL_NOT_FOUND"]);
    }
    const open = await publishPublic({ name: "open" });
    const answer = await call("GET", `${S}/${open.id}/usage`, { key: owner });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("Only admins can see the usage of public skills.");
    expect((await call("GET", `${S}/${open.id}/usage?days=401`)).status).toBe(400);
  });
});
