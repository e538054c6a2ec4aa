// Paths and headers that Wegent's clients use for features with a different name here.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { publishOwn, talk } from "../../../support/chat-turns";
import { form, skillZip } from "../../../support/skill";
import { problemOf, SKILLS, type Skill } from "./published";

let ada: string;
beforeAll(async () => {
  ada = await keyFor("predecessor-ada");
});

describe("the admin page's paths", () => {
  it("publish, renew, show and delete a public skill", async () => {
    const fields = { name: "wg-public", namespace: "default", marketplace_tags: '["tools"]' };
    const made = await call("POST", `${SKILLS}/public/upload`, { body: form(skillZip({ name: "wg-public" }), fields) });
    expect(made.status).toBe(201);
    const { id } = (await made.json<Skill>()).metadata.labels;
    const renewed = await call("PUT", `${SKILLS}/public/${id}/upload`, {
      body: form(skillZip({ name: "wg-public", body: "Renewed." })),
    });
    expect(await renewed.json()).toMatchObject({ spec: { prompt: "Renewed." } });
    const content = await call("GET", `${SKILLS}/public/${id}/content`, { key: ada });
    expect((await content.json<{ content: string }>()).content).toMatch(/^---\nname: wg-public\n[\s\S]*Renewed\.\n$/);
    const zip = await call("GET", `${SKILLS}/public/${id}/download`, { key: ada });
    expect([zip.status, zip.headers.get("content-type")]).toEqual([200, "application/zip"]);
    await zip.body?.cancel();
    expect((await call("DELETE", `${SKILLS}/public/${id}`, { key: ada })).status).toBe(403);
    expect((await call("DELETE", `${SKILLS}/public/${id}`)).status).toBe(204);
  });

  it("change public skills only, even for users with rights elsewhere", async () => {
    const { id } = await publishOwn(ada, { name: "wg-own" });
    const body = form(skillZip({ name: "wg-own", body: "Other." }));
    for (const key of [ada, undefined]) {
      const as = key === undefined ? {} : { key };
      expect(await problemOf(call("DELETE", `${SKILLS}/public/${id}`, as))).toMatchObject({ code: "SKILL_NOT_FOUND" });
      const put = call("PUT", `${SKILLS}/public/${id}/upload`, { ...as, body });
      expect(await problemOf(put)).toMatchObject({ code: "SKILL_NOT_FOUND" });
    }
    expect((await call("GET", `${SKILLS}/${id}`, { key: ada })).status).toBe(200);
    const elsewhere = call("POST", `${SKILLS}/upload`, {
      key: ada,
      body: form(skillZip(), { marketplace_tags: "[]" }),
    });
    expect(await problemOf(elsewhere)).toMatchObject({ status: 400, issues: [{ code: "UNKNOWN_FIELD" }] });
  });
});

describe("one reference", () => {
  it("is taken out of one ghost, and of no other's", async () => {
    const { id } = await publishOwn(ada, { name: "wg-used" });
    const made = [];
    for (const name of ["one", "two"]) {
      const json = { metadata: { name: `wg-${name}` }, spec: { skills: ["wg-used"] } };
      const answer = await call("POST", "/api/v1/kinds/ghosts", { key: ada, json });
      made.push((await answer.json<{ metadata: { labels: { id: string } } }>()).metadata.labels.id);
    }
    const take = (ghost: string, key = ada) => call("POST", `${SKILLS}/${id}/remove-reference/${ghost}`, { key });
    expect(await (await take(made[0]!)).json()).toEqual({ success: true, ghost_name: "wg-one" });
    const left = await call("GET", `${SKILLS}/${id}/references`, { key: ada });
    expect(await left.json()).toMatchObject({ referenced_ghosts: [{ name: "wg-two" }], hidden_count: 0 });
    expect(await problemOf(take(made[0]!))).toMatchObject({ status: 400, code: "NOT_REFERENCED" });
    expect(await problemOf(take("gho_none"))).toMatchObject({ status: 404, code: "GHOST_NOT_FOUND" });
    const bob = await keyFor("predecessor-bob");
    expect(await problemOf(take(made[1]!, bob))).toMatchObject({ status: 404, code: "SKILL_NOT_FOUND" });
  });

  it("of a private ghost to a public skill cannot be removed by others, including admins", async () => {
    const made = await call("POST", `${SKILLS}/public`, { body: form(skillZip({ name: "wg-everybodys" })) });
    const { id } = (await made.json<Skill>()).metadata.labels;
    const json = { metadata: { name: "wg-private" }, spec: { skills: ["wg-everybodys"] } };
    const answer = await call("POST", "/api/v1/kinds/ghosts", { key: ada, json });
    const ghost = (await answer.json<{ metadata: { labels: { id: string } } }>()).metadata.labels.id;
    const refused = call("POST", `${SKILLS}/${id}/remove-reference/${ghost}`);
    expect(await problemOf(refused)).toMatchObject({ status: 404, code: "GHOST_NOT_FOUND" });
  });
});

describe("what an executor knows of a skill", () => {
  it("is the digest that the download answers 304 to, however it is written", async () => {
    const own = await publishOwn(ada, { name: "wg-deployed", version: "1.0.0" });
    const chat = await talk({ key: ada }, { spec: { skills: ["wg-deployed"], preload_skills: ["wg-deployed"] } });
    const task = chat.route.slice(chat.route.lastIndexOf("/") + 1);
    const told = await (await call("GET", `/api/tasks/${task}/skills`, { key: ada })).json<{
      skill_refs: Record<string, { content_hash: string; skill_id: string }>;
      preload_skill_refs: Record<string, { content_hash: string }>;
    }>();
    const { content_hash } = told.skill_refs["wg-deployed"]!;
    expect(told.preload_skill_refs["wg-deployed"]).toMatchObject({ content_hash });
    const resource = await (await call("GET", `${SKILLS}/${own.id}`, { key: ada })).json<Skill>();
    expect(content_hash).toBe(resource.status.fileHash);
    const download = (tag: string) =>
      call("GET", `${SKILLS}/${own.id}/download`, { key: ada, headers: { "if-none-match": tag } });
    for (const tag of [`"sha256:${content_hash}"`, `W/"sha256:${content_hash}"`, `"sha256-${content_hash}"`])
      expect((await download(tag)).status).toBe(304);
    const other = await download(`"sha256:${"0".repeat(64)}"`);
    expect(other.status).toBe(200);
    await other.body?.cancel();
  });
});
