// Managing trusted publishers: who can, what is stored and logged, limits, and what ends them.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index";
import { call, keyFor } from "../../support/call";

const ENTRY = { issuer: "https://ci.acme.dev", claims: { repository: "acme/skills" }, skills: ["poem"] };
const AT = "/api/v1/publishers";
const put = (name: string, key: string, more: object = {}) =>
  call("PUT", `${AT}/${name}`, { key, json: { ...ENTRY, ...more } });
const codeOf = async (answer: Response) => [answer.status, (await answer.json<{ code: string }>()).code];

describe("publishers", () => {
  it("are stored, replaced, listed page by page, and deleted", async () => {
    const key = await keyFor("man-ada");
    const made = await put("b", key);
    const body = await made.json<{ id: string }>();
    expect([made.status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pub_/),
        name: "b",
        scope: "user",
        ...ENTRY,
        audience: "https://gateway.test",
        key_minutes: 15,
        created_by: "man-ada",
        created_at: expect.any(String),
        updated_at: expect.any(String),
        last_used_at: null,
        last_refusal: null,
      },
    ]);
    const replaced = await put("b", key, { audience: "skills", key_minutes: 5 });
    expect([replaced.status, await replaced.json()]).toMatchObject([
      200,
      { id: body.id, audience: "skills", key_minutes: 5 },
    ]);
    for (const name of ["a", "c"]) await put(name, key);
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Response = await call("GET", `${AT}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`, { key });
      const { items, next_cursor } = await page.json<{ items: { name: string }[]; next_cursor: string | null }>();
      names.push(...items.map(({ name }) => name));
      cursor = next_cursor;
    }
    expect(names).toEqual(["a", "b", "c"]);
    expect((await call("DELETE", `${AT}/b`, { key })).status).toBe(204);
    expect(await codeOf(await call("DELETE", `${AT}/b`, { key }))).toEqual([404, "PUBLISHER_NOT_FOUND"]);
    expect(await codeOf(await call("GET", `${AT}/b`, { key }))).toEqual([404, "PUBLISHER_NOT_FOUND"]);
    const log = await call("GET", "/api/v1/audit?actor=man-ada&resource_type=publisher&resource_id=user/b");
    expect((await log.json<{ items: { action: string }[] }>()).items.map(({ action }) => action)).toEqual([
      "publisher.delete",
      "publisher.put",
      "publisher.put",
    ]);
  });

  it("are refused with every problem of the entry", async () => {
    const answer = await put("bad", await keyFor("man-bad"), {
      issuer: "http://ci.acme.dev",
      claims: { repository: "*", ref: "*" },
      skills: [],
    });
    const { issues } = await answer.json<{ issues: { path: string }[] }>();
    expect(answer.status).toBe(400);
    expect(issues.map(({ path }) => path).sort()).toEqual(["claims.ref", "claims.repository", "issuer", "skills"]);
  });

  it("of everybody are an admin's, and of a group its Maintainers'", async () => {
    const user = await keyFor("man-user");
    expect(await codeOf(await put("all", user, { scope: "public" }))).toEqual([403, "ADMIN_ONLY"]);
    await call("POST", "/api/v1/groups", { json: { name: "man-team" } });
    const group = { scope: "group", group_name: "man-team" };
    expect(await codeOf(await put("team", user, group))).toEqual([404, "GROUP_NOT_FOUND"]);
    const role = (name: string) => call("PUT", "/api/v1/groups/man-team/members/man-user", { json: { role: name } });
    await role("Developer");
    expect(await codeOf(await put("team", user, group))).toEqual([403, "ROLE_TOO_LOW"]);
    await role("Maintainer");
    expect((await put("team", user, group)).status).toBe(201);
  });

  it("end with their group", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "man-gone" } });
    const group = { scope: "group", group_name: "man-gone" };
    const key = await keyFor("man-gone-owner");
    await call("PUT", "/api/v1/groups/man-gone/members/man-gone-owner", { json: { role: "Owner" } });
    expect((await put("team", key, group)).status).toBe(201);
    expect((await call("DELETE", "/api/v1/groups/man-gone", { key })).status).toBe(204);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM publishers WHERE scope = 'group:man-gone'").first("n");
    expect(left).toBe(0);
  });

  it("end with the user who registered them, also those of everybody", async () => {
    const key = await keyFor("man-leaver", { role: "admin" });
    await put("own", key);
    await put("for-all", key, { scope: "public" });
    expect((await call("DELETE", "/api/v1/users/man-leaver")).status).toBe(200);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM publishers WHERE created_by = 'man-leaver'").first(
      "n",
    );
    expect(left).toBe(0);
  });

  it("are limited in number", async () => {
    const key = await keyFor("man-many");
    for (let n = 0; n < 50; n++) expect((await put(`p-${n}`, key)).status).toBe(201);
    expect(await codeOf(await put("one-more", key))).toEqual([409, "QUOTA_EXCEEDED"]);
    expect((await put("p-7", key, { skills: ["song"] })).status).toBe(200);
  });

  it("have keys that the clean-up deletes when neither key nor token is valid", async () => {
    const row = (id: string, until: number) =>
      env.DB.prepare("INSERT INTO publishing_keys VALUES (?, 'h', 'pub_1', 'rev_1', ?, '{}', 0, 0, ?)").bind(
        id,
        id,
        until,
      );
    await env.DB.batch([row("past", Date.now() - 1), row("future", Date.now() + 60_000)]);
    await worker.scheduled(createScheduledController(), env);
    const { results } = await env.DB.prepare("SELECT id FROM publishing_keys WHERE id IN ('past', 'future')").all();
    expect(results).toEqual([{ id: "future" }]);
  });
});
