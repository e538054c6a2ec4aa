// Feedback on turns, and searches that found nothing.

import { createScheduledController, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import worker from "../../../src/index";
import { call, keyFor } from "../../support/call";
import { publishPublic, type Talk, talk } from "../../support/chat-turns";
import { holdClockAtNoon, objectOf, pass, releaseClock } from "../../support/clock";
import { clearRegistry } from "../../support/registry";
import { HOUR, sendCounts } from "../../support/skill-use";
import { changeSettings } from "../../support/world/main";

const I = "/api/v1/insights";
const DAY = 24 * HOUR;

beforeEach(async () => {
  await clearRegistry();
  await env.DB.batch(["use_hours", "search_misses"].map((name) => env.DB.prepare(`DELETE FROM ${name}`)));
  holdClockAtNoon();
});
afterEach(() => {
  changeSettings(null);
  releaseClock();
});

const rate = (chat: Talk, json: object) => call("POST", `${chat.route}/feedback`, { key: chat.key, json });
const skillsOf = async () =>
  (
    await (
      await call("GET", `${I}/skills`)
    ).json<{ items: { skill_name: string; liked: number; disliked: number }[] }>()
  ).items;
const searches = async () =>
  (await call("GET", `${I}/searches`)).json<{ stored: boolean; items: { query: string; count: number }[] }>();

describe("feedback on a turn", () => {
  it("counts for the skills that were active in it, and the last one counts", async () => {
    await publishPublic({ name: "first" });
    await publishPublic({ name: "second" });
    const chat = await talk("rates-ada");
    await chat.turn();
    await chat.load("first");
    await chat.turn();
    await chat.load("second");
    expect((await rate(chat, { turn: 1, score: 1 })).status).toBe(200);
    expect((await rate(chat, { turn: 2, score: -1, comment: "Wrong chart." })).status).toBe(200);
    await sendCounts(chat, "rates-ada");
    expect(await skillsOf()).toMatchObject([
      { skill_name: "first", liked: 1, disliked: 1 },
      { skill_name: "second", liked: 0, disliked: 1 },
    ]);
    // After an eviction, and in a later hour.
    await evictDurableObject(objectOf(chat.route.slice(chat.route.lastIndexOf("/") + 1), "rates-ada"));
    await rate(chat, { turn: 2, score: 1 });
    await rate(chat, { turn: 1, score: 0 });
    await rate(chat, { turn: 1, score: 0 });
    await sendCounts(chat, "rates-ada");
    expect(await skillsOf()).toMatchObject([
      { skill_name: "first", liked: 1, disliked: 0 },
      { skill_name: "second", liked: 1, disliked: 0 },
    ]);
    const overview = await (await call("GET", `${I}/overview`)).json();
    expect(overview).toMatchObject({ totals: { liked: 2, disliked: 0 } });
  });

  it("is listed, exported and erased with the conversation, and belongs to its user", async () => {
    const chat = await talk("rates-eve");
    await chat.turn();
    await rate(chat, { turn: 1, score: -1, comment: "No." });
    const list = await (await call("GET", `${chat.route}/feedback`, { key: chat.key })).json();
    expect(list).toMatchObject({ items: [{ turn: 1, score: -1, comment: "No." }], next_cursor: null });
    const path = "/api/v1/users/rates-eve/export";
    const { conversations } = await (await call("GET", path)).json<{ conversations: { feedback?: object[] }[] }>();
    expect(conversations).toMatchObject([{ feedback: [{ turn: 1, score: -1, comment: "No." }] }]);
    const stranger = await call("GET", `${chat.route}/feedback`, { key: await keyFor("rates-mallory") });
    expect(stranger.status).toBe(404);
    await call("DELETE", chat.route, { key: chat.key });
    expect((await call("GET", `${chat.route}/feedback`, { key: chat.key })).status).toBe(404);
  });

  it.each([
    [{ turn: 2, score: 1 }, 404],
    [{ turn: 0, score: 1 }, 400],
    [{ turn: 1, score: 2 }, 400],
    [{ turn: 1, score: 1, comment: "x".repeat(1_001) }, 400],
  ])("%j is refused", async (body, status) => {
    const chat = await talk("rates-bob");
    await chat.turn();
    expect((await rate(chat, body)).status).toBe(status);
  });
});

describe("a search without a result", () => {
  it("is not stored by default", async () => {
    const chat = await talk("seeks-ada");
    await chat.turn();
    await chat.use("find_skill", { query: "zebra quantum" });
    await sendCounts(chat, "seeks-ada");
    expect(await searches()).toMatchObject({ stored: false, items: [] });
    expect((await env.DB.prepare("SELECT * FROM search_misses").all()).results).toEqual([]);
  });

  it("is stored without secrets, counted, exported and erased with the user", async () => {
    changeSettings({ INSIGHT_QUERIES: "on" });
    await publishPublic({ name: "charts" });
    const chat = await talk("seeks-eve");
    await chat.turn();
    await chat.use("find_skill", { query: "Zebra quantum" });
    await chat.use("find_skill", { query: "zebra quantum" });
    await chat.use("find_skill", { query: "charts" });
    await chat.use("find_skill", {
      query: `qqq with sk-${"a1B2c3D4".repeat(5)} of eve@example.com ${"w".repeat(300)}`,
    });
    await sendCounts(chat, "seeks-eve");
    const found = await searches();
    expect(found).toMatchObject({ stored: true, items: [{ count: 2 }, { count: 1 }] });
    const [, long] = found.items;
    expect(long?.query).toMatch(/^qqq with \[removed\] of \[removed\] w+$/);
    expect(long?.query).toHaveLength(200);
    const exported = await (await call("GET", "/api/v1/users/seeks-eve/export")).json();
    expect(exported).toMatchObject({ searches: [{ query: "Zebra quantum" }, {}, {}] });
    expect((await call("GET", `${I}/searches`, { key: chat.key })).status).toBe(403);
    expect((await call("DELETE", "/api/v1/users/seeks-eve")).status).toBe(200);
    expect((await searches()).items).toEqual([]);
  });

  it("is deleted after thirty days, and when the setting is turned off", async () => {
    changeSettings({ INSIGHT_QUERIES: "on" });
    const chat = await talk("seeks-bob");
    for (const days of [0, 31]) {
      pass(days * DAY);
      await chat.turn();
      await chat.use("find_skill", { query: `zebra ${days}` });
      await sendCounts(chat, "seeks-bob");
    }
    await worker.scheduled(createScheduledController(), { ...env, INSIGHT_QUERIES: "on" } as Env);
    expect((await searches()).items).toMatchObject([{ query: "zebra 31" }]);
    await worker.scheduled(createScheduledController(), { ...env, INSIGHT_QUERIES: "off" } as Env);
    expect((await searches()).items).toEqual([]);
  });
});
