// Links: the skills they can read, their lifetime, and identical errors for all invalid links.

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";

const LINKS = "/api/v1/links";
const INDEX = "/.well-known/agent-skills/index.json";
const DAY = 24 * 60 * 60_000;

interface Link {
  id: string;
  url: string;
  reads: string;
  expires_at: string;
  created_at: string;
  uses: number;
  last_used_at: string | null;
  notice: string;
}

let ada: string;
beforeAll(async () => {
  ada = await keyFor("links-ada");
  await publishOwn(ada, { name: "adas" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const get = (path: string) => call("GET", path, { key: null });
async function make(key: string, json: object = {}): Promise<Link & { place: string }> {
  const answer = await call("POST", LINKS, { key, json });
  expect(answer.status).toBe(201);
  const link = await answer.json<Link>();
  return { ...link, place: new URL(link.url).pathname };
}
async function names(place: string): Promise<string[] | number> {
  const answer = await get(`${place}${INDEX}`);
  if (answer.status !== 200) return answer.status;
  return (await answer.json<{ skills: { name: string }[] }>()).skills.map(({ name }) => name);
}
const refusal = async (key: string, json: object) => {
  const answer = await call("POST", LINKS, { key, json });
  return [answer.status, (await answer.json<{ code: string }>()).code];
};
async function crew(name: string, members: Record<string, string>) {
  await call("POST", "/api/v1/groups", { key: ADMIN_KEY, json: { name } });
  for (const [user, role] of Object.entries(members))
    expect((await call("PUT", `/api/v1/groups/${name}/members/${user}`, { json: { role } })).status).toBeLessThan(300);
}

describe("a link", () => {
  it("reads own skills without a header, and warns that clients store the URL", async () => {
    const link = await make(ada, { name: "laptop" });
    expect(link).toMatchObject({ reads: "own", notice: expect.stringContaining("lock files") });
    expect(Math.round((Date.parse(link.expires_at) - Date.parse(link.created_at)) / DAY)).toBe(90);
    const index = await get(`${link.place}${INDEX}`);
    expect([index.headers.get("cache-control"), index.headers.get("referrer-policy")]).toEqual([
      "private, no-store",
      "no-referrer",
    ]);
    const { skills } = await index.json<{ skills: { name: string; url: string }[] }>();
    expect(skills.map(({ name }) => name)).toEqual(["adas"]);
    const archive = await get(`${link.place}/.well-known/agent-skills/${skills[0]!.url}`);
    expect([archive.status, archive.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    await archive.body?.cancel();
    expect(await names(`${link.place}/adas`)).toEqual(["adas"]);
    const found = await get(`${link.place}/api/search?q=adas`);
    expect(await found.json()).toMatchObject({ skills: [{ name: "adas", source: `${link.url}/adas` }] });
  });

  it("is listed and counted without its token, which is stored nowhere", async () => {
    const key = await keyFor("links-lister");
    const link = await make(key);
    await names(link.place);
    await names(link.place);
    await vi.waitFor(async () => {
      const listed = await (await call("GET", LINKS, { key })).text();
      expect(listed).not.toContain(link.place.slice("/t/".length));
      expect(JSON.parse(listed)).toMatchObject({ items: [{ id: link.id, uses: 2, last_used_at: expect.any(String) }] });
    });
    const { results } = await env.DB.prepare("SELECT * FROM links").all();
    expect(JSON.stringify(results)).not.toContain(link.place.slice("/t/".length));
  });

  it("is not found after it was revoked or expired, which is no guess; an unknown link is one", async () => {
    const [revoked, over] = [
      await make(ada),
      await make(ada, { expires_at: new Date(Date.now() + DAY).toISOString() }),
    ];
    expect((await call("DELETE", `${LINKS}/${revoked.id}`, { key: ada })).status).toBe(204);
    expect((await call("DELETE", `${LINKS}/${revoked.id}`, { key: ada })).status).toBe(404);
    const guesses = vi.fn(async () => ({ success: true }));
    const counters = { ADDRESS_RATE: { limit: async () => ({ success: true }) }, GUESS_RATE: { limit: guesses } };
    const from = (place: string) =>
      askWith({ ...counters, RATE_LIMITS: "true" }, `${place}${INDEX}`, {
        headers: { "cf-connecting-ip": "192.0.2.7" },
      });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY + 1_000 });
    const known = [await from(revoked.place), await from(over.place)];
    expect([known.map(({ status }) => status), guesses.mock.calls.length]).toEqual([[404, 404], 0]);
    const last = revoked.place.at(-20) === "0" ? "1" : "0";
    const guessed = [
      `${revoked.place.slice(0, -20)}${last}${revoked.place.slice(-19)}`,
      "/t/sgl_0000",
      `/t/${ada}`,
      `/t/${revoked.id}`,
    ];
    for (const place of guessed) {
      const answer = await from(place);
      expect([place, answer.status, { ...(await answer.json<object>()), request_id: "" }]).toEqual([
        ...[place, 404],
        { ...(await (await get("/s/never/was")).json<object>()), request_id: "" },
      ]);
    }
    expect(guesses.mock.calls.length).toBe(guessed.length);
  });

  it("never shows in the log", async () => {
    const link = await make(ada);
    const lines = vi.spyOn(console, "log");
    for (const place of [link.place, `${link.place}x`]) {
      const answer = await askWith({ LOG_REQUESTS: "true" }, `${place}${INDEX}`);
      await answer.body?.cancel();
    }
    const written = JSON.stringify(lines.mock.calls);
    expect(written).toContain("/t/:token/.well-known/agent-skills/index.json");
    expect(written).not.toContain(link.place.slice("/t/".length, 40));
  });
});

describe("what a link reads", () => {
  it("is a group's skills, for as long as its maker is a member", async () => {
    await crew("link-crew", { "links-mae": "Maintainer", "links-dev": "Developer" });
    const [mae, dev] = [await keyFor("links-mae"), await keyFor("links-dev")];
    await publishOwn(dev, { name: "crews" }, "link-crew");
    await publishOwn(mae, { name: "maes-own" });
    expect(await refusal(dev, { group: "link-crew" })).toEqual([403, "ROLE_TOO_LOW"]);
    expect(await refusal(ada, { group: "link-crew" })).toEqual([404, "NAMESPACE_NOT_FOUND"]);
    const link = await make(mae, { group: "link-crew" });
    expect(await names(link.place)).toEqual(["crews"]);
    expect((await call("DELETE", "/api/v1/groups/link-crew/members/links-mae")).status).toBe(204);
    expect(await names(link.place)).toBe(404);
  });

  it("is named skills and no others, of a group only where one maintains it", async () => {
    await crew("named-crew", { "links-nia": "Maintainer", "links-noa": "Developer" });
    const [nia, noa] = [await keyFor("links-nia"), await keyFor("links-noa")];
    const ofGroup = await publishOwn(noa, { name: "of-crew" }, "named-crew");
    const own = await publishOwn(nia, { name: "of-nia" });
    await publishOwn(nia, { name: "not-named" });
    const shared = await publishPublic({ name: "of-all" });
    expect(await refusal(noa, { skills: [ofGroup.id] })).toEqual([403, "ROLE_TOO_LOW"]);
    expect(await refusal(ada, { skills: [own.id] })).toEqual([404, "SKILL_NOT_FOUND"]);
    expect(await refusal(nia, { skills: ["skl_none"] })).toEqual([404, "SKILL_NOT_FOUND"]);
    expect(await refusal(nia, { skills: [own.id], group: "named-crew" })).toEqual([400, "INVALID_REQUEST"]);
    const link = await make(nia, { skills: [ofGroup.id, own.id, shared.id] });
    expect(await names(link.place)).toEqual(["of-all", "of-crew", "of-nia"]);
    expect(await names(`${link.place}/not-named`)).toBe(404);
    expect((await get(`${link.place}/.well-known/skills/not-named/SKILL.md`)).status).toBe(404);
    await call("DELETE", "/api/v1/groups/named-crew/members/links-nia");
    expect(await names(link.place)).toEqual(["of-all", "of-nia"]);
  });

  it("ends with the key that made it, and with its maker", async () => {
    const key = await keyFor("links-kay");
    await publishOwn(key, { name: "kays" });
    const { items } = await (await call("GET", "/api/v1/keys", { key })).json<{ items: { id: string }[] }>();
    const link = await make(key);
    expect(await names(link.place)).toEqual(["kays"]);
    expect((await call("DELETE", `/api/v1/keys/${items[0]!.id}`, { key })).status).toBe(204);
    expect(await names(link.place)).toBe(404);

    const gone = await keyFor("links-gone");
    const last = await make(gone);
    const exported = await (await call("GET", "/api/v1/users/links-gone/export")).json<{ links: object[] }>();
    expect(exported.links).toMatchObject([{ id: last.id, reads: "own" }]);
    expect(JSON.stringify(exported)).not.toContain(last.place.slice(3));
    expect((await call("DELETE", "/api/v1/users/links-gone")).status).toBe(200);
    expect(await names(last.place)).toBe(404);
    const { results } = await env.DB.prepare("SELECT id FROM links WHERE user_id = 'links-gone'").all();
    expect(results).toEqual([]);
  });

  it("is no more than reading: a link is no key, and makes none", async () => {
    const { place } = await make(ada);
    const token = place.slice("/t/".length);
    expect((await call("GET", "/api/v1/kinds/skills", { key: token })).status).toBe(401);
    expect((await call("POST", `${place}/api/v1/links`, { key: null, json: {} })).status).toBe(404);
    expect((await call("GET", `${place}/api/v1/kinds/skills`, { key: null })).status).toBe(404);
    expect((await call("DELETE", `${LINKS}/${token}`, { key: ada })).status).toBe(404);
    const other = await keyFor("links-other");
    expect((await call("DELETE", `${LINKS}/${(await make(ada)).id}`, { key: other })).status).toBe(404);
  });

  it("lasts at most 366 days, and a user has at most 50", async () => {
    const far = new Date(Date.now() + 400 * DAY).toISOString();
    expect(await refusal(ada, { expires_at: far })).toEqual([400, "INVALID_REQUEST"]);
    expect(await refusal(ada, { expires_at: new Date(Date.now() - 1).toISOString() })).toEqual([
      400,
      "INVALID_REQUEST",
    ]);
    const many = await keyFor("links-many");
    for (let n = 0; n < 50; n++) await make(many);
    expect(await refusal(many, {})).toEqual([409, "TOO_MANY_LINKS"]);
  });
});
