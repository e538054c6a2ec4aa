// Webhooks: which events they receive, the signature, retries, and who can manage them.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scheduled } from "../../src/cron";
import { call, keyFor } from "../support/call";
import { published, publishOwn, publishPublic } from "../support/chat-turns";
import { holdClock, pass, releaseClock } from "../support/clock";
import { form, skillZip } from "../support/skill";
import { forget, scripted, seen } from "../support/upstream";

const HOOKS = "/api/v1/webhooks";
const SKILLS = "/api/v1/kinds/skills";
const MINUTE = 60_000;

interface Hook {
  secret: string;
  url: string;
  enabled: boolean;
  disabled_reason?: string;
}

interface Delivery {
  id: string;
  type: string;
  state: string;
  attempts: number;
  status: number | null;
  problem: string | null;
}

let people = 0;
const person = (name: string) => `hook-${name}-${people++}`;
/** Answers each delivery with this status. */
const receiver = (name: string, status = 204) => scripted(name, { POST: { status } });

beforeEach(async () => {
  await forget();
  await env.DB.batch([env.DB.prepare("DELETE FROM webhooks"), env.DB.prepare("DELETE FROM webhook_deliveries")]);
});
afterEach(releaseClock);

async function store(key: string, name: string, json: object): Promise<Hook> {
  const answer = await call("PUT", `${HOOKS}/${name}`, { key, json });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json<Hook>();
}

async function deliveries(key: string, name: string, query = ""): Promise<Delivery[]> {
  const answer = await call("GET", `${HOOKS}/${name}/deliveries${query}`, { key });
  return (await answer.json<{ items: Delivery[] }>()).items;
}

/** Runs the schedule, which sends what is due. */
const run = () => scheduled(createScheduledController({ cron: "*/5 * * * *" }), env);

/** Returns the messages that a receiver got, verified with the secret. */
async function received(name: string, secret: string) {
  const posts = await seen(`/scripted/${name}`);
  return posts
    .filter(({ http }) => http === "POST")
    .map(({ headers, body }) => ({ id: headers["webhook-id"], message: new Webhook(secret).verify(body, headers) }));
}

describe("events", () => {
  it("of a user's skills are sent, signed, in order, and to nobody else", async () => {
    const [ada, eve] = [await keyFor(person("ada")), await keyFor(person("eve"))];
    const hook = await store(ada, "all", { url: await receiver("hook-own") });
    await store(eve, "all", { url: await receiver("hook-other") });
    const { id, version_id: first } = await publishOwn(ada, { name: "hooked", body: "One." });
    const zip = form(skillZip({ name: "hooked", body: "Two." }));
    const second = await published(await call("PUT", `${SKILLS}/${id}`, { key: ada, body: zip }));
    const version = `${SKILLS}/${id}/versions`;
    expect((await call("POST", `${version}/${first}/activate`, { key: ada })).status).toBe(200);
    expect((await call("POST", `${version}/${second.version_id}/yank`, { key: ada, json: {} })).status).toBe(200);
    expect((await call("POST", `${version}/${second.version_id}/unyank`, { key: ada, json: {} })).status).toBe(200);
    expect((await call("DELETE", `${SKILLS}/${id}`, { key: ada })).status).toBe(204);
    await expect.poll(() => received("hook-own", hook.secret)).toHaveLength(6);
    const sent = await received("hook-own", hook.secret);
    const data = (version_id: string) => ({ skill_id: id, name: "hooked", version_id, version: null });
    expect(sent.map(({ message }) => message)).toEqual([
      { type: "skill.published", timestamp: expect.stringMatching(/^\d{4}-.*Z$/), data: data(first) },
      { type: "skill.published", timestamp: expect.any(String), data: data(second.version_id) },
      { type: "skill.activated", timestamp: expect.any(String), data: data(first) },
      { type: "skill.yanked", timestamp: expect.any(String), data: data(second.version_id) },
      { type: "skill.unyanked", timestamp: expect.any(String), data: data(second.version_id) },
      { type: "skill.deleted", timestamp: expect.any(String), data: { skill_id: id, name: "hooked" } },
    ]);
    expect(new Set(sent.map((one) => one.id)).size).toBe(6);
    expect(await seen("/scripted/hook-other")).toEqual([]);
    expect(await deliveries(eve, "all")).toEqual([]);
  });

  it("of public skills go to the gateway's webhooks, and only those that a webhook wants", async () => {
    const key = await keyFor(person("admin"), { role: "admin" });
    const gateway = { scope: "gateway" as const };
    const wanted = await store(key, "wanted", { ...gateway, url: await receiver("hook-wanted") });
    await store(key, "other", { ...gateway, url: await receiver("hook-unwanted"), events: ["skill.deleted"] });
    await store(key, "off", { ...gateway, url: await receiver("hook-off"), enabled: false });
    await publishPublic({ name: "hooked-for-all" });
    await publishOwn(key, { name: "hooked-of-admin" });
    await expect.poll(() => received("hook-wanted", wanted.secret)).toHaveLength(1);
    for (const name of ["other", "off"]) expect(await deliveries(key, name, "?scope=gateway")).toEqual([]);
  });

  it("of a change that failed are not sent", async () => {
    const key = await keyFor(person("ada"));
    await store(key, "all", { url: await receiver("hook-none") });
    const { id } = await publishOwn(key, { name: "hooked-once", body: "One." });
    expect((await call("POST", `${SKILLS}/${id}/versions/ver_none/activate`, { key })).status).toBe(404);
    expect((await deliveries(key, "all")).map(({ type }) => type)).toEqual(["skill.published"]);
  });
});

describe("a delivery that failed", () => {
  it("is sent again later under the same id, and not before", async () => {
    holdClock();
    const key = await keyFor(person("ada"));
    await store(key, "all", { url: await receiver("hook-later", 500) });
    await publishOwn(key, { name: "hooked-later" });
    await expect.poll(() => deliveries(key, "all")).toEqual([expect.objectContaining({ status: 500 })]);
    expect(await deliveries(key, "all")).toMatchObject([
      { state: "pending", attempts: 1, problem: "the receiver answered HTTP 500" },
    ]);
    await receiver("hook-later");
    const ids = async () => (await seen("/scripted/hook-later")).map(({ headers }) => headers["webhook-id"]);
    pass(4 * MINUTE);
    await run();
    expect(await ids()).toHaveLength(1);
    pass(2 * MINUTE);
    await run();
    const sent = await ids();
    expect([sent.length, new Set(sent).size]).toEqual([2, 1]);
    expect(await deliveries(key, "all")).toMatchObject([
      { state: "delivered", attempts: 2, status: 204, problem: null },
    ]);
  });

  it("ends after nine attempts, and can be sent again by hand", async () => {
    holdClock();
    const key = await keyFor(person("ada"));
    await store(key, "all", { url: await receiver("hook-never", 503) });
    await publishOwn(key, { name: "hooked-never" });
    for (let attempts = 1; attempts < 9; attempts++) {
      await expect.poll(() => deliveries(key, "all")).toMatchObject([{ attempts, state: "pending", status: 503 }]);
      pass(25 * 60 * MINUTE);
      await run();
    }
    const [ended] = await deliveries(key, "all");
    expect(ended).toMatchObject({ attempts: 9, state: "failed" });
    await receiver("hook-never");
    const again = await call("POST", `${HOOKS}/all/deliveries/${ended?.id}/resend`, { key });
    expect(again.status).toBe(202);
    await expect.poll(() => deliveries(key, "all")).toMatchObject([{ id: ended?.id, attempts: 1, state: "delivered" }]);
  });

  it("is deleted when 1,000 newer ones are stored", async () => {
    const key = await keyFor(person("ada"));
    await store(key, "all", { url: await receiver("hook-many") });
    const test = () => call("POST", `${HOOKS}/all/test`, { key });
    expect((await test()).status).toBe(202);
    await expect.poll(() => deliveries(key, "all")).toMatchObject([{ state: "delivered" }]);
    const [first] = await deliveries(key, "all");
    await env.DB.prepare(
      `WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 999)
       INSERT INTO webhook_deliveries SELECT 'evt_' || value, scope, webhook, type, data, at + value, 'delivered', 1, next_at, 204, NULL
       FROM webhook_deliveries, numbers`,
    ).run();
    expect((await test()).status).toBe(202);
    const resend = () => call("POST", `${HOOKS}/all/deliveries/${first?.id}/resend`, { key });
    await expect.poll(async () => (await resend()).status).toBe(404);
    const { results } = await env.DB.prepare("SELECT count(*) AS count FROM webhook_deliveries").all<{
      count: number;
    }>();
    expect(results).toEqual([{ count: 1_000 }]);
  });

  it("does not delay those of other owners, however many wait", async () => {
    const [busy, calm] = [await keyFor(person("busy")), await keyFor(person("calm"))];
    await store(busy, "all", { url: await receiver("hook-busy", 500) });
    await store(calm, "all", { url: await receiver("hook-calm", 500) });
    for (const key of [busy, calm]) await publishOwn(key, { name: "hooked-waiting" });
    for (const key of [busy, calm]) await expect.poll(() => deliveries(key, "all")).toMatchObject([{ status: 500 }]);
    await forget();
    await env.DB.batch([
      env.DB.prepare(`WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 999)
        INSERT INTO webhook_deliveries SELECT 'evt_' || value, scope, webhook, type, data, at, 'pending', 1, 1, 500, NULL
        FROM webhook_deliveries, numbers WHERE scope LIKE '%busy%'`),
      env.DB.prepare("UPDATE webhook_deliveries SET next_at = 2"),
    ]);
    for (const name of ["hook-busy", "hook-calm"]) await receiver(name);
    const full = await call("POST", `${HOOKS}/all/test`, { key: busy });
    expect([full.status, await full.text()]).toEqual([409, expect.stringContaining("QUOTA_EXCEEDED")]);
    await run();
    expect(await deliveries(calm, "all")).toMatchObject([{ state: "delivered" }]);
    expect(await seen("/scripted/hook-busy")).toHaveLength(5);
    // A change of the calm owner sends its own event only.
    await publishOwn(calm, { name: "hooked-again" });
    await expect.poll(() => seen("/scripted/hook-calm")).toHaveLength(2);
    expect(await seen("/scripted/hook-busy")).toHaveLength(5);
  });

  it("disables its webhook if the receiver is gone", async () => {
    const key = await keyFor(person("ada"));
    await store(key, "all", { url: await receiver("hook-gone", 410) });
    await publishOwn(key, { name: "hooked-gone" });
    const hook = async () => (await call("GET", `${HOOKS}/all`, { key })).json<Hook>();
    await expect.poll(hook).toMatchObject({ enabled: false, disabled_reason: "the receiver answered 410 (Gone)" });
    await publishOwn(key, { name: "hooked-after" });
    expect(await deliveries(key, "all")).toHaveLength(1);
    const enabled = await store(key, "all", { url: await receiver("hook-gone") });
    expect([enabled.enabled, enabled.disabled_reason]).toEqual([true, undefined]);
  });

  it("is not redirected to another address, and shows nothing of the response", async () => {
    const key = await keyFor(person("ada"));
    const elsewhere = await receiver("hook-elsewhere");
    const moved = { status: 307, headers: { location: elsewhere.replace("127.0.0.1", "localhost") }, body: "secret" };
    await store(key, "all", { url: await scripted("hook-moved", { POST: moved }) });
    expect((await call("POST", `${HOOKS}/all/test`, { key })).status).toBe(202);
    await expect.poll(() => deliveries(key, "all")).toMatchObject([{ attempts: 1, status: null }]);
    expect(JSON.stringify(await deliveries(key, "all"))).not.toContain("secret");
    expect(await seen("/scripted/hook-elsewhere")).toEqual([]);
  });
});

describe("a webhook", () => {
  it("shows its secret once, and signs with a new one after its rotation", async () => {
    const key = await keyFor(person("ada"));
    const hook = await store(key, "all", { url: await receiver("hook-rotated") });
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await store(key, "all", { url: hook.url })).secret).toBeUndefined();
    expect(await (await call("GET", HOOKS, { key })).text()).not.toContain("whsec_");
    const { secret } = await (await call("POST", `${HOOKS}/all/rotate`, { key })).json<{ secret: string }>();
    expect(secret).not.toBe(hook.secret);
    expect((await call("POST", `${HOOKS}/all/test`, { key })).status).toBe(202);
    await expect.poll(() => received("hook-rotated", secret)).toMatchObject([{ message: { type: "webhook.test" } }]);
    await expect(received("hook-rotated", hook.secret)).rejects.toThrow("No matching signature");
  });

  it("belongs to its owner: others do not find it, and members of a group need the right role", async () => {
    const [ada, eve] = [person("ada"), person("eve")];
    const [hers, others] = [await keyFor(ada), await keyFor(eve)];
    await store(hers, "mine", { url: await receiver("hook-mine") });
    const [delivery] = [await (await call("POST", `${HOOKS}/mine/test`, { key: hers })).json<Delivery>()];
    for (const [method, path] of [
      ["GET", "/mine"],
      ["DELETE", "/mine"],
      ["POST", "/mine/rotate"],
      ["POST", "/mine/test"],
      ["GET", "/mine/deliveries"],
      ["POST", `/mine/deliveries/${delivery.id}/resend`],
    ] as const)
      expect([path, (await call(method, `${HOOKS}${path}`, { key: others })).status]).toEqual([path, 404]);
    const json = { scope: "gateway", url: await receiver("hook-mine") };
    expect((await call("PUT", `${HOOKS}/all`, { key: others, json })).status).toBe(403);
    expect((await call("GET", `${HOOKS}?scope=group&group_name=nobody-knows`, { key: others })).status).toBe(404);
  });

  it.each([
    ["a private address", { url: "https://10.0.0.1/hook" }, "url"],
    ["no URL", { url: "hook" }, "url"],
    ["an unknown event", { url: "https://example.com/", events: ["skill.loaded"] }, "events"],
    ["no event", { url: "https://example.com/", events: [] }, "events"],
  ])("is rejected with %s", async (_, json, path) => {
    const answer = await call("PUT", `${HOOKS}/bad`, { json });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(path)]);
  });

  it("is limited to 20 per owner", async () => {
    const key = await keyFor(person("ada"));
    const url = "https://example.com/hook";
    for (let n = 0; n < 20; n++) await store(key, `hook-${n}`, { url });
    const answer = await call("PUT", `${HOOKS}/hook-20`, { key, json: { url } });
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining("QUOTA_EXCEEDED")]);
    expect((await call("PUT", `${HOOKS}/hook-19`, { key, json: { url } })).status).toBe(200);
  });
});
