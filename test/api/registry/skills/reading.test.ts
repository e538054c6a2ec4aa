// Routes that read and list skills, name resolution, and public skills.

import { beforeAll, describe, expect, it } from "vitest";
import { type CallOptions, call, keyFor } from "../../../support/call";
import { form, skillZip } from "../../../support/skill";
import { idOf, problemOf, published, SKILLS, type Skill, upload } from "./published";

let alice: string;
let bob: string;
let carol: string;
let dave: string;

beforeAll(async () => {
  alice = await keyFor("alice");
  bob = await keyFor("bob");
  carol = await keyFor("carol", { groups: ["team"] });
  dave = await keyFor("dave", { groups: ["team"] });
});

describe("reading", () => {
  it("gives another's skill the answer of one that never was", async () => {
    const skill = await published({ name: "private" }, { key: alice });
    const paths: [string, string][] = [
      ["GET", ""],
      ["GET", "/download"],
      ["GET", "/files"],
      ["GET", "/files/SKILL.md"],
      ["GET", "/references"],
      ["GET", "/versions"],
      ["GET", `/versions/${skill.status.version_id}/files`],
      ["GET", `/versions/${skill.status.version_id}/files/SKILL.md`],
      ["GET", `/versions/${skill.status.version_id}/permissions`],
      ["GET", `/versions/${skill.status.version_id}/permissions?base=${skill.status.version_id}`],
      ["DELETE", ""],
      ["POST", "/remove-references"],
      ["POST", `/versions/${skill.status.version_id}/activate`],
    ];
    const strip = (body: string) => body.replace(/"request_id":"[^"]*"/, "");
    for (const [method, rest] of paths) {
      const others = await call(method, `${SKILLS}/${idOf(skill)}${rest}`, { key: bob });
      const nobodys = await call(method, `${SKILLS}/skl_nothing${rest}`, { key: bob });
      expect([method, rest, others.status]).toEqual([method, rest, 404]);
      expect(strip(await others.text())).toBe(strip(await nobodys.text()));
    }
    const put = await call("PUT", `${SKILLS}/${idOf(skill)}`, { key: bob, body: form(skillZip({ name: "private" })) });
    expect(put.status).toBe(404);
  });

  it("returns 304 for a current ETag", async () => {
    const skill = await published({ name: "tagged" }, { key: alice });
    const answer = await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice });
    const tag = answer.headers.get("etag")!;
    expect(tag).toMatch(/^"sha256-[0-9a-f]{64}"$/);
    const headers = { "if-none-match": `"x", W/${tag}` };
    const again = await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice, headers });
    expect(again.status).toBe(304);
    expect(again.headers.get("etag")).toBe(tag);
    expect(await again.text()).toBe("");
    await upload({ name: "tagged", body: "New." }, { key: alice });
    expect((await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice, headers })).status).toBe(200);
  });

  it("lists own skills page by page", async () => {
    const key = await keyFor("lister");
    for (const name of ["a", "b", "c", "d", "e"]) await published({ name }, { key });
    interface Page {
      items: Skill[];
      next_cursor: string | null;
      total?: number;
    }
    const list = async (query: string) => (await call("GET", `${SKILLS}${query}`, { key })).json<Page>();
    const names = (page: Page) => page.items.map((item) => item.metadata.name).join("");
    const first = await list("?limit=2&count=true");
    expect([names(first), first.total]).toEqual(["ab", 5]);
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([names(second), second.total]).toEqual(["cd", undefined]);
    const third = await list(`?limit=2&cursor=${second.next_cursor}`);
    expect([names(third), third.next_cursor]).toEqual(["e", null]);
    expect(names(await list("?skip=3"))).toBe("de");
    expect((await list("?limit=1")).items[0]!.spec.prompt).toBe("Do it like this.");
    for (const query of ["?limit=0", "?limit=101", "?skip=-1", "?cursor=!", "?skip=1&cursor=x", "?exact_match=maybe"]) {
      expect([query, (await problemOf(call("GET", `${SKILLS}${query}`, { key }))).status]).toEqual([query, 400]);
    }
    expect((await call("GET", `${SKILLS}?namespace=team`, { key })).status).toBe(404);
  });
});

describe("names: own over group over public", () => {
  const named = async (key: string, query: string) => {
    const answer = await call("GET", `${SKILLS}?${query}`, { key });
    return (await answer.json<{ items: Skill[] }>()).items.map((item) => item.spec.prompt);
  };
  const invoked = async (key: string, name: string) =>
    (await call("POST", `${SKILLS}/invoke`, { key, json: { skill_name: name } })).json<{ prompt: string }>();

  beforeAll(async () => {
    const publicly = await call("POST", `${SKILLS}/public`, {
      body: form(skillZip({ name: "ranked", body: "public" })),
    });
    expect(publicly.status).toBe(201);
    expect((await publicly.json<Skill>()).metadata).toMatchObject({ namespace: "default", labels: { user_id: "0" } });
    await published({ name: "ranked", body: "team" }, { key: carol }, { namespace: "team" });
    await published({ name: "ranked", body: "own" }, { key: carol });
  });

  it("finds the nearest", async () => {
    expect(await named(carol, "name=ranked")).toEqual(["own"]);
    expect(await named(dave, "name=ranked")).toEqual(["team"]);
    expect(await named(alice, "name=ranked")).toEqual(["public"]);
    expect(await named(alice, "name=ranked&exact_match=true")).toEqual([]);
    expect(await named(carol, "name=ranked&namespace=team&exact_match=true")).toEqual(["team"]);
    expect(await named(carol, "name=Ranked")).toEqual([]);
    expect((await invoked(carol, "ranked")).prompt).toBe("own");
    expect((await invoked(alice, "ranked")).prompt).toBe("public");
    expect(
      await problemOf(call("POST", `${SKILLS}/invoke`, { key: alice, json: { skill_name: "nope" } })),
    ).toMatchObject({
      status: 404,
      code: "SKILL_NOT_FOUND",
    });
  });

  it("lists each name once, without prompts", async () => {
    interface Item {
      name: string;
      is_public: boolean;
      namespace: string;
      user_id: string;
    }
    const unified = async (key: string, query = "") =>
      (await call("GET", `${SKILLS}/unified${query}`, { key })).json<Item[]>();
    const ranked = (items: Item[]) => items.filter((item) => item.name === "ranked");
    expect(ranked(await unified(carol))).toMatchObject([{ namespace: "default", user_id: "carol", is_public: false }]);
    expect(ranked(await unified(dave))).toMatchObject([{ namespace: "team", is_public: false }]);
    expect(ranked(await unified(dave, "?scope=personal"))).toMatchObject([{ is_public: true, user_id: "0" }]);
    expect(ranked(await unified(carol, "?scope=group&group_name=team"))).toMatchObject([{ namespace: "team" }]);
    const [item] = ranked(await unified(alice));
    expect(Object.keys(item!).sort()).toEqual(
      "author bindShells created_at description displayName findings id is_active is_public name namespace tags updated_at user_id version".split(
        " ",
      ),
    );
    expect((await call("GET", `${SKILLS}/unified?scope=group`, { key: carol })).status).toBe(400);
    expect((await call("GET", `${SKILLS}/unified?scope=group&group_name=team`, { key: alice })).status).toBe(404);
    const list = await (await call("GET", `${SKILLS}/public/list`, { key: alice })).json<Item[]>();
    expect(ranked(list)).toMatchObject([{ is_public: true }]);
  });

  it("pages through bare arrays by a link", async () => {
    await published({ name: "second" }, { key: carol }, { namespace: "team" });
    const all = await (await call("GET", `${SKILLS}/unified`, { key: carol })).json<{ name: string }[]>();
    expect(all.length).toBeGreaterThan(1);
    const seen: string[] = [];
    let path: string | undefined = `${SKILLS}/unified?limit=1`;
    while (path !== undefined) {
      const page: Response = await call("GET", path, { key: carol });
      seen.push(...(await page.json<{ name: string }[]>()).map((item) => item.name));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(all.map((item) => item.name));
    const skipped = await (await call("GET", `${SKILLS}/unified?skip=1`, { key: carol })).json<{ name: string }[]>();
    expect(skipped.map((item) => item.name)).toEqual(seen.slice(1));
  });
});

describe("public skills", () => {
  it("are written by admins only, and read by everybody", async () => {
    const refused = await problemOf(
      call("POST", `${SKILLS}/public`, { key: alice, body: form(skillZip({ name: "pub" })) }),
    );
    expect(refused).toMatchObject({ status: 403, code: "ADMIN_ONLY" });
    const made = await call("POST", `${SKILLS}/public`, { body: form(skillZip({ name: "pub" })) });
    const skill = await made.json<Skill>();
    const path = `${SKILLS}/${idOf(skill)}`;
    expect((await call("GET", path, { key: alice })).status).toBe(200);
    const writes: [string, string, CallOptions][] = [
      ["PUT", path, { body: form(skillZip({ name: "pub", body: "mine" })) }],
      ["DELETE", path, {}],
      ["DELETE", `${path}?force=true`, {}],
      ["POST", `${path}/versions/${skill.status.version_id}/activate`, {}],
    ];
    for (const [method, target, options] of writes) {
      expect((await call(method, target, { ...options, key: alice })).status).toBe(403);
    }
    expect((await call("PUT", path, { body: form(skillZip({ name: "pub", body: "ours" })) })).status).toBe(200);
    expect((await call("DELETE", path)).status).toBe(204);
  });
});
