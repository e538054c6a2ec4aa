// Versions of a skill, and its deletion.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../../support/call";
import { form, skillZip } from "../../../support/skill";
import { idOf, problemOf, published, SKILLS, type Skill, upload } from "./published";

const GHOSTS = "/api/v1/kinds/ghosts";

let alice: string;
let bob: string;

beforeAll(async () => {
  alice = await keyFor("alice");
  bob = await keyFor("bob");
});

describe("versions", () => {
  it("adds, lists and activates them", async () => {
    const first = await published({ name: "grown", version: "1.0.0", body: "one" }, { key: alice });
    const path = `${SKILLS}/${idOf(first)}`;
    const put = await call("PUT", path, {
      key: alice,
      body: form(skillZip({ name: "grown", version: "2.0.0", body: "two" })),
    });
    expect(put.status).toBe(200);
    const second = await put.json<Skill>();
    expect(second.spec).toMatchObject({ prompt: "two", version: "2.0.0" });
    interface Versions {
      items: { version_id: string; version: string; is_current: boolean }[];
      next_cursor: string | null;
    }
    const listed = await (await call("GET", `${path}/versions`, { key: alice })).json<Versions>();
    expect(listed.items.map((item) => [item.version, item.is_current])).toEqual([
      ["2.0.0", true],
      ["1.0.0", false],
    ]);
    const page = await (await call("GET", `${path}/versions?limit=1`, { key: alice })).json<Versions>();
    const rest = await (
      await call("GET", `${path}/versions?limit=1&cursor=${page.next_cursor}`, { key: alice })
    ).json<Versions>();
    expect([rest.items[0]!.version, rest.next_cursor]).toEqual(["1.0.0", null]);

    const back = await call("POST", `${path}/versions/${first.status.version_id}/activate`, { key: alice });
    expect(back.status).toBe(200);
    expect((await back.json<Skill>()).spec.prompt).toBe("one");
    expect((await (await call("GET", path, { key: alice })).json<Skill>()).spec.prompt).toBe("one");
    const other = await published({ name: "other-grown" }, { key: alice });
    const wrong = call("POST", `${path}/versions/${other.status.version_id}/activate`, { key: alice });
    expect(await problemOf(wrong)).toMatchObject({ status: 404, code: "VERSION_NOT_FOUND" });
    const mismatch = call("PUT", path, { key: alice, body: form(skillZip({ name: "different" })) });
    expect(await problemOf(mismatch)).toMatchObject({ status: 422, code: "NAME_MISMATCH" });
  });
});

describe("deleting", () => {
  it("removes rows and objects, and frees the name", async () => {
    const skill = await published({ name: "leaving" }, { key: alice });
    await upload({ name: "leaving", body: "More." }, { key: alice });
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(204);
    expect((await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(404);
    expect(await env.PACKAGES.head(`packages/${skill.status.version_id}.zip`)).toBeNull();
    const left = await env.DB.prepare("SELECT count(*) AS n FROM versions WHERE skill_id = ?")
      .bind(idOf(skill))
      .first("n");
    expect(left).toBe(0);
    expect(idOf(await published({ name: "leaving" }, { key: alice }))).not.toBe(idOf(skill));
  });

  it("refuses while ghosts use it, and names only those the caller may read", async () => {
    await published({ name: "same" }, { key: alice });
    const made = await call("POST", `${SKILLS}/public`, { body: form(skillZip({ name: "wanted" })) });
    const id = idOf(await made.json<Skill>());
    for (const key of [alice, bob]) {
      const body = {
        metadata: { name: "uses-it" },
        spec: { skills: ["wanted", "same"].slice(0, key === alice ? 2 : 1), preload_skills: ["wanted"] },
      };
      expect((await call("POST", GHOSTS, { key, json: body })).status).toBe(201);
    }
    const references = await (await call("GET", `${SKILLS}/${id}/references`, { key: alice })).json<object>();
    expect(references).toMatchObject({
      referenced_ghosts: [{ name: "uses-it", namespace: "default" }],
      hidden_count: 1,
    });
    const refused = await problemOf(call("DELETE", `${SKILLS}/${id}`));
    expect(refused).toMatchObject({ status: 409, code: "SKILL_REFERENCED", referenced_ghosts: [], hidden_count: 2 });

    const removed = await call("POST", `${SKILLS}/${id}/remove-references`, { key: alice });
    expect(await removed.json()).toMatchObject({ removed_count: 1, affected_ghosts: [{ name: "uses-it" }] });
    const mine = await (await call("GET", `${GHOSTS}?name=uses-it`, { key: alice })).json<{
      items: { spec: object }[];
    }>();
    expect(mine.items[0]!.spec).toEqual({ systemPrompt: "", skills: ["same"], preload_skills: [] });
    const bobs = await (await call("GET", `${GHOSTS}?name=uses-it`, { key: bob })).json<{
      items: { spec: object }[];
    }>();
    expect(bobs.items[0]!.spec).toMatchObject({ skills: ["wanted"] });
    expect((await call("DELETE", `${SKILLS}/${id}`)).status).toBe(409);
    expect((await call("DELETE", `${SKILLS}/${id}?force=true`)).status).toBe(204);
  });

  it("does not allow forcing the deletion of an own skill", async () => {
    const skill = await published({ name: "own-used" }, { key: alice });
    await call("POST", GHOSTS, { key: alice, json: { metadata: { name: "user" }, spec: { skills: ["own-used"] } } });
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}?force=true`, { key: alice })).status).toBe(409);
    await call("POST", `${SKILLS}/${idOf(skill)}/remove-references`, { key: alice });
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(204);
  });
});
