// Versions blocked by an admin: the effect on every integration, and what stays available.

import { expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishPublic } from "../support/chat-turns";

const INDEX = "/.well-known/agent-skills/index.json";
const SKILLS = "/api/v1/kinds/skills";

const get = (path: string, key: string | null = null) => call("GET", path, { key });
const names = async (place: string, key: string | null = null) => {
  const { skills } = await (await get(`${place}${INDEX}`, key)).json<{ skills: { name: string }[] }>();
  return skills.map(({ name }) => name);
};
const versionsOf = async (id: string) => {
  const { items } = await (await call("GET", `${SKILLS}/${id}/versions`)).json<{
    items: { version_id: string; blocked_for: string | null }[];
  }>();
  return items;
};
const say = (id: string, version: string, json: object, key?: string) =>
  call("PUT", `${SKILLS}/${id}/versions/${version}/verdict`, { json, ...(key === undefined ? {} : { key }) });

it("hides a version in every integration and for every caller, until the block is removed", async () => {
  const { id } = await publishPublic({ name: "turned-bad" });
  await call("PUT", `/api/v1/open-skills/${id}`);
  const key = await keyFor("verdict-user");
  const index = await (await get(`/s/public${INDEX}`, key)).json<{ skills: { name: string; url: string }[] }>();
  const archive = `/s/public/.well-known/agent-skills/${index.skills.find(({ name }) => name === "turned-bad")!.url}`;
  expect((await get(archive, key)).status).toBe(200);

  const [version] = await versionsOf(id);
  expect(version!.blocked_for).toBeNull();
  const answer = await say(id, version!.version_id, { blocked: true, reason: "It sends files away." });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    { version_id: version!.version_id, blocked: true, reason: "It sends files away." },
  ]);
  expect([await names(""), await names("/s/public"), await names("/s/public", key)]).toEqual([[], [], []]);
  for (const path of [archive, "/s/public/.well-known/skills/turned-bad/SKILL.md", `/s/public/turned-bad${INDEX}`])
    expect([path, (await get(path, key)).status]).toEqual([path, 404]);
  const [skill, named] = [id.replace("skl", "skill"), version!.version_id.replace("ver", "skver")];
  const vendor = [
    `/anthropic/v1/skills/${skill}/versions/latest/content`,
    `/anthropic/v1/skills/${skill}/versions/${named}/content`,
    `/openai/v1/skills/${skill}/content`,
    `/openai/v1/skills/${skill}/versions/1/content`,
  ];
  for (const path of vendor) expect([path, (await get(path, key)).status]).toEqual([path, 403]);
  const found = await (await get("/api/search?q=turned+bad", key)).json<{ skills: object[] }>();
  expect(found.skills).toEqual([]);
  expect((await versionsOf(id))[0]!.blocked_for).toBe("It sends files away.");
  const shown = await (await get(`${SKILLS}/${id}`, key)).json<{
    status: { state: string; left_out: { door: string; code: string }[] };
  }>();
  expect([shown.status.state, shown.status.left_out.map(({ door, code }) => `${door} ${code}`)]).toEqual([
    "available",
    ["well-known VERSION_BLOCKED", "marketplace VERSION_BLOCKED"],
  ]);

  // The next version is not blocked. The archive of this one stays stored.
  await publishPublic({ name: "turned-bad", body: "Mended." });
  expect(await names("/s/public", key)).toEqual(["turned-bad"]);
  expect((await get(archive, key)).status).toBe(404);
  await say(id, version!.version_id, { blocked: false });
  for (const path of [archive, ...vendor]) expect([path, (await get(path, key)).status]).toEqual([path, 200]);
});

it("is an admin's alone, of a version of that skill, with a reason, and on record once", async () => {
  const [one, other] = [await publishPublic({ name: "judged" }), await publishPublic({ name: "beside" })];
  const [version] = await versionsOf(one.id);
  const id = version!.version_id;
  const bad = { blocked: true, reason: "Bad." };
  const user = await keyFor("verdict-author");
  const codeOf = async (answer: Response) => [answer.status, (await answer.json<{ code: string }>()).code];
  expect(await codeOf(await say(one.id, id, bad, user))).toEqual([403, "ADMIN_ONLY"]);
  expect(await codeOf(await say(other.id, id, bad))).toEqual([404, "VERSION_NOT_FOUND"]);
  expect(await codeOf(await say(one.id, "ver_none", bad))).toEqual([404, "VERSION_NOT_FOUND"]);
  expect(await codeOf(await say(one.id, id, { blocked: true }))).toEqual([400, "INVALID_REQUEST"]);
  expect(await codeOf(await say(one.id, id, { blocked: false, reason: "Why?" }))).toEqual([400, "INVALID_REQUEST"]);

  for (const said of [bad, bad, { blocked: false }, { blocked: false }])
    expect((await say(one.id, id, said)).status).toBe(200);
  const log = await (await call("GET", `/api/v1/audit?action=skill.verdict&resource_id=${one.id}`)).json<{
    items: { before: object; after: object }[];
  }>();
  const stands = { version_id: id, blocked: false, reason: null };
  const blocked = { version_id: id, ...bad };
  expect(log.items.map(({ before, after }) => [before, after])).toEqual([
    [blocked, stands],
    [stands, blocked],
  ]);
});
