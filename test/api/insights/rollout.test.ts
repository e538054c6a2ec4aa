// Gradual rollout: which conversations use the candidate, how it ends, and when a version is reported.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rolloutPosition } from "../../../src/domain/catalog/rollout";
import { call, keyFor } from "../../support/call";
import { publishOwn, publishPublic, type Talk, talk } from "../../support/chat-turns";
import { holdClockAtNoon, releaseClock } from "../../support/clock";
import { providerSkill } from "../../support/provider";
import { clearRegistry } from "../../support/registry";
import { form, skillZip } from "../../support/skill";
import { runCron, sendCounts } from "../../support/skill-use";

const S = "/api/v1/kinds/skills";

beforeEach(async () => {
  await clearRegistry();
  holdClockAtNoon();
});
afterEach(releaseClock);

/** Publishes version 1.0.0 and then 2.0.0 of a public skill, of which the first is current. */
async function twoVersions(name: string, tools: Record<string, string> = {}) {
  const version = (label: string) =>
    Object.keys(tools).length === 0
      ? { name, version: label, body: `Text of ${label}.` }
      : providerSkill(name, tools, { version: label, body: `Text of ${label}.` });
  const first = await publishPublic(version("1.0.0"));
  const second = await publishPublic(version("2.0.0"));
  await call("POST", `${S}/${first.id}/versions/${first.version_id}/activate`);
  return { id: first.id, former: first.version_id, candidate: second.version_id };
}

const roll = (id: string, json: object, key?: string) =>
  call("PUT", `${S}/${id}/rollout`, { json, ...(key === undefined ? {} : { key }) });

async function versionIn(chat: Talk, name: string): Promise<{ version: string; candidate?: boolean } | undefined> {
  await chat.turn();
  await chat.load(name);
  const { events } = await (await call("GET", `${chat.route}/events`, { key: chat.key })).json<{
    events: { type: string; skills?: { name: string; version: string; candidate?: boolean }[] }[];
  }>();
  return events.findLast(({ type }) => type === "loaded")?.skills?.find((skill) => skill.name === name);
}

const idOf = ({ route }: Talk) => route.slice(route.lastIndexOf("/") + 1);
const uses = (candidate: string, user: string, chat: Talk, percent: number) =>
  rolloutPosition(`${user}/${idOf(chat)}`, candidate) < percent;

describe("a rollout", () => {
  it("gives a part of the conversations the candidate, and none back when the share rises", {
    tags: ["slow"],
  }, async () => {
    const { id, candidate } = await twoVersions("rolled");
    const chats = await Promise.all(Array.from({ length: 12 }, () => talk("roll-ada")));
    expect((await roll(id, { candidate: "2.0.0", percent: 40 })).status).toBe(200);
    for (const percent of [40, 70]) {
      await roll(id, { candidate, percent });
      for (const chat of chats) {
        const isCandidate = uses(candidate, "roll-ada", chat, percent);
        expect(await versionIn(chat, "rolled")).toMatchObject(
          isCandidate ? { version: "2.0.0", candidate: true } : { version: "1.0.0" },
        );
      }
    }
    // A request without a conversation sees the current version.
    const skill = await (await call("GET", `${S}/${id}`)).json();
    expect(skill).toMatchObject({ status: { version_id: expect.not.stringMatching(candidate) } });
  });

  it("is visible in the status, the turns and the past of its conversations, also after it ended", async () => {
    const { id, candidate } = await twoVersions("visible");
    await roll(id, { candidate, percent: 100 });
    const chat = await talk("roll-see");
    const read = async (path: string) =>
      (await call("GET", `${chat.route}${path}`, { key: chat.key })).json<{ active: object[] }>();
    await versionIn(chat, "visible");
    const marked = [expect.objectContaining({ skill: "visible", version: "2.0.0", candidate: true })];
    expect((await read("")).active).toEqual(marked);
    expect((await read("/at/1")).active).toEqual(marked);
    await call("POST", `${S}/${id}/rollout/promote`);
    const { active } = await chat.turn();
    expect(active).toMatchObject([{ skill: "visible", version: "2.0.0" }]);
    expect(active[0]).not.toHaveProperty("candidate");
    expect((await read("/at/1")).active).toEqual(marked);
  });

  it("does not replace a version that an agent pins", async () => {
    const { id } = await twoVersions("pinned");
    await roll(id, { candidate: "2.0.0", percent: 100 });
    const chat = await talk("roll-pin", { spec: { skills: ["pinned@1.0.0"] } });
    expect(await versionIn(chat, "pinned")).toMatchObject({ version: "1.0.0" });
    const other = await talk("roll-pin", { spec: { skills: ["pinned"] } });
    expect(await versionIn(other, "pinned")).toMatchObject({ version: "2.0.0" });
  });

  it("ends when it is stopped, when its candidate is yanked or promoted, and with its skill", async () => {
    const status = async (id: string) => (await call("GET", `${S}/${id}/rollout`)).status;
    const { id, candidate, former } = await twoVersions("ending");
    const chat = await talk("roll-end");
    const start = () => roll(id, { candidate: "2.0.0", percent: 100 });
    await start();
    expect(await versionIn(chat, "ending")).toMatchObject({ version: "2.0.0" });
    expect((await call("DELETE", `${S}/${id}/rollout`)).status).toBe(204);
    expect(await status(id)).toBe(404);
    expect(await versionIn(chat, "ending")).toMatchObject({ version: "1.0.0" });
    await start();
    await call("POST", `${S}/${id}/versions/${candidate}/yank`);
    expect(await status(id)).toBe(404);
    expect((await start()).status).toBe(409);
    await call("POST", `${S}/${id}/versions/${candidate}/unyank`);
    await start();
    // A caller who has seen another candidate does not promote this one.
    const other = await call("POST", `${S}/${id}/rollout/promote`, { json: { candidate: former } });
    expect([other.status, await other.json()]).toEqual([409, expect.objectContaining({ code: "OTHER_CANDIDATE" })]);
    expect(await status(id)).toBe(200);
    expect((await call("POST", `${S}/${id}/rollout/promote`, { json: { candidate } })).status).toBe(200);
    expect(await status(id)).toBe(404);
    expect(await versionIn(chat, "ending")).toMatchObject({ version: "2.0.0" });
    // A rollback, and the deletion of the skill.
    expect((await call("POST", `${S}/${id}/versions/${former}/activate`)).status).toBe(200);
    await start();
    await call("DELETE", `${S}/${id}`);
    expect((await env.DB.prepare("SELECT * FROM rollouts WHERE skill_id = ?").bind(id).all()).results).toEqual([]);
  });

  it("begins with a version that was published without making it current", async () => {
    const key = await keyFor("roll-beside");
    const body = (version: string, more = {}) =>
      form(skillZip({ name: "beside", version, body: `Text of ${version}.` }), more);
    const first = await call("POST", `${S}/upload`, { key, body: body("1.0.0", { activate: "false" }) });
    const { metadata, status } = await first.json<{
      metadata: { labels: { id: string } };
      status: { version_id: string };
    }>();
    const { id } = metadata.labels;
    const current = async () =>
      (await (await call("GET", `${S}/${id}`, { key })).json<{ spec: { version: string } }>()).spec.version;
    // A skill without a current version gets one.
    expect(await current()).toBe("1.0.0");
    const second = await call("PUT", `${S}/${id}`, { key, body: body("2.0.0", { activate: "false" }) });
    expect(await second.json()).toMatchObject({ spec: { version: "2.0.0" } });
    expect(await current()).toBe("1.0.0");
    const rolled = await call("PUT", `${S}/${id}/rollout`, { key, json: { candidate: "2.0.0", percent: 10 } });
    expect(await rolled.json()).toMatchObject({
      candidate: { version: "2.0.0" },
      current: { version_id: status.version_id },
    });
    expect((await call("PUT", `${S}/${id}`, { key, body: body("3.0.0", { activate: "no" }) })).status).toBe(400);
  });

  it("needs a version that is not current, and a user who can activate it", async () => {
    const { id, former } = await twoVersions("guarded");
    expect((await roll(id, { candidate: former, percent: 10 })).status).toBe(409);
    expect((await roll(id, { candidate: "3.0.0", percent: 10 })).status).toBe(404);
    expect((await roll(id, { candidate: "2.0.0", percent: 0 })).status).toBe(400);
    const stranger = await keyFor("roll-eve");
    expect((await roll(id, { candidate: "2.0.0", percent: 10 }, stranger)).status).toBe(403);
    const own = await publishOwn(await keyFor("roll-owner"), { name: "private" });
    expect((await roll(own.id, { candidate: "1", percent: 10 }, stranger)).status).toBe(404);
  });
});

describe("a version that fails more often", () => {
  it("is reported once, with an event, and its rollout shows both arms", async () => {
    const { id, candidate, former } = await twoVersions("failing");
    await roll(id, { candidate, percent: 50 });
    await env.DB.batch([
      env.DB.prepare("DELETE FROM webhook_deliveries"),
      env.DB.prepare(
        "INSERT OR REPLACE INTO webhooks (scope, name, url, events, enabled, key_id, iv, ciphertext) VALUES ('gateway', 'failing', 'https://127.0.0.1', '[\"version.failing\"]', 1, '', '', '')",
      ),
    ]);
    const events = async () =>
      (await env.DB.prepare("SELECT type, data FROM webhook_deliveries").all<{ type: string; data: string }>()).results;
    const day = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    const add = (version: string, calls: number, failures: number) =>
      env.DB.prepare(
        `INSERT INTO skill_use (day, skill_id, version_id, loads, calls, failures, tokens, votes) VALUES (?, ?, ?, 0, ?, ?, 0, 0)
         ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, failures = failures + excluded.failures`,
      )
        .bind(day, id, version, calls, failures)
        .run();
    // The database's clock started the rollout.
    await env.DB.prepare("UPDATE rollouts SET started_at = ? WHERE skill_id = ?").bind(Date.now(), id).run();
    await add(former, 200, 10);
    await add(candidate, 29, 29);
    await runCron();
    const failing = async () =>
      (await (await call("GET", "/api/v1/insights/overview")).json<{ failing: object[] }>()).failing;
    expect(await failing()).toEqual([]);
    await add(candidate, 1, 1);
    await runCron();
    const reported = await failing();
    expect(reported).toMatchObject([
      {
        ...{ skill_id: id, version_id: candidate, version: "2.0.0", percent: 50, uses: 30, failures: 30 },
        former: { version_id: former, uses: 200, failures: 10 },
      },
    ]);
    await add(candidate, 100, 100);
    await runCron();
    expect(await failing()).toEqual(reported);
    expect(await (await call("GET", `${S}/${id}/rollout`)).json()).toMatchObject({
      failing: true,
      candidate: { uses: 130, failures: 130 },
      current: { uses: 200, failures: 10 },
    });
    const [event, ...more] = await events();
    expect([event?.type, more]).toEqual(["version.failing", []]);
    expect(JSON.parse(event?.data ?? "")).toMatchObject({
      ...{ skill_id: id, name: "failing", version_id: candidate, uses: 30, failures: 30 },
      former: { version_id: former, uses: 200, failures: 10 },
    });
    // A rollback to the former version replaces the comparison.
    await call("DELETE", `${S}/${id}/rollout`);
    expect(await failing()).toEqual([]);
  });

  it("is compared after it became current, too", async () => {
    const tools = { echo: "return 'said'" };
    const { id, candidate, former } = await twoVersions("activated", tools);
    await call("POST", `${S}/${id}/versions/${candidate}/activate`);
    const chat = await talk("fails-bob");
    await chat.turn();
    await chat.load("activated");
    await chat.use("echo");
    await sendCounts(chat, "fails-bob");
    const [row] = (await env.DB.prepare("SELECT * FROM rollouts WHERE skill_id = ?").bind(id).all()).results;
    expect(row).toMatchObject({ candidate_id: candidate, former_id: former, percent: null });
  });
});
