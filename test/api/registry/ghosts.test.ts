import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { form, skillZip } from "../../support/skill";

const SKILLS = "/api/v1/kinds/skills";
const GHOSTS = "/api/v1/kinds/ghosts";

interface Ghost {
  metadata: { name: string; namespace: string; labels: { id: string; user_id: string } };
  spec: object;
}

let alice: string;
let bob: string;
let carol: string;

beforeAll(async () => {
  alice = await keyFor("alice");
  bob = await keyFor("bob");
  carol = await keyFor("carol", { groups: ["team"] });
  for (const version of ["1.0.0", "2.0.0"]) {
    await call("POST", `${SKILLS}/public`, { body: form(skillZip({ name: "chart", version, body: version })) });
  }
  await call("POST", `${SKILLS}/upload`, { key: alice, body: form(skillZip({ name: "own" })) });
});

const make = (key: string, name: string, spec: object = {}, namespace?: string) =>
  call("POST", GHOSTS, {
    key,
    json: { kind: "Ghost", metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, spec },
  });
const idOf = (ghost: Ghost) => ghost.metadata.labels.id;
const counterOf = (user: string) =>
  env.DB.prepare("SELECT value FROM counters WHERE scope = ?").bind(`user:${user}`).first<number>("value");

describe("ghosts", () => {
  it("are made, read, replaced and deleted", async () => {
    const spec = {
      systemPrompt: "Be brief.",
      mcpServers: { a: { url: "https://x.test" } },
      skills: ["chart@^1", "own"],
      preload_skills: ["own"],
      retentionTurns: 3,
    };
    const before = (await counterOf("alice")) ?? 0;
    const made = await make(alice, "researcher", spec);
    expect(made.status).toBe(201);
    const ghost = await made.json<Ghost>();
    expect(ghost).toMatchObject({
      apiVersion: "agent.wecode.io/v1",
      kind: "Ghost",
      metadata: { name: "researcher", namespace: "default", labels: { user_id: "alice" } },
      spec,
    });
    expect(await counterOf("alice")).toBe(before + 1);
    const path = `${GHOSTS}/${idOf(ghost)}`;
    const read = await call("GET", path, { key: alice });
    expect(await read.clone().json()).toEqual(ghost);
    const headers = { "if-none-match": read.headers.get("etag")! };
    expect((await call("GET", path, { key: alice, headers })).status).toBe(304);

    const resolved = await env.DB.prepare(
      "SELECT position, name, range, skill_id FROM ghost_skills WHERE ghost_id = ? ORDER BY position",
    )
      .bind(idOf(ghost))
      .all();
    expect(resolved.results).toMatchObject([
      { position: 0, name: "chart", range: "^1" },
      { position: 1, name: "own", range: "*" },
    ]);

    const replaced = await call("PUT", path, { key: alice, json: { ...ghost, spec: { skills: ["own"] } } });
    expect(replaced.status).toBe(200);
    expect((await replaced.json<Ghost>()).spec).toEqual({ systemPrompt: "", skills: ["own"] });
    expect((await call("GET", path, { key: alice, headers })).status).toBe(200);
    const left = await env.DB.prepare("SELECT count(*) AS n FROM ghost_skills WHERE ghost_id = ?")
      .bind(idOf(ghost))
      .first("n");
    expect(left).toBe(1);

    expect((await call("DELETE", path, { key: alice })).status).toBe(204);
    expect((await call("DELETE", path, { key: alice })).status).toBe(404);
    expect(
      await env.DB.prepare("SELECT count(*) AS n FROM ghost_skills WHERE ghost_id = ?").bind(idOf(ghost)).first("n"),
    ).toBe(0);
  });

  it("refuse a spec with everything that is wrong with it", async () => {
    const answer = await make(alice, "bad", {
      skills: ["chart@^9", "nowhere", "own@not a range", "own", "own"],
      preload_skills: ["absent"],
    });
    expect(answer.status).toBe(400);
    const { issues } = await answer.json<{ issues: { code: string; path: string }[] }>();
    expect(issues.map(({ code, path }) => `${code} ${path}`).sort()).toEqual([
      "BAD_REFERENCE spec.skills[2]",
      "DUPLICATE_SKILL spec.skills[4]",
      "PRELOAD_NOT_IN_SKILLS spec.preload_skills[0]",
      "RANGE_UNSATISFIED spec.skills[0]",
      "UNKNOWN_SKILL spec.skills[1]",
    ]);
    const shape = await call("POST", GHOSTS, {
      key: alice,
      json: { kind: "Skill", metadata: { name: "" }, spec: { skill: [] } },
    });
    expect(shape.status).toBe(400);
    expect((await shape.json<{ issues: object[] }>()).issues.length).toBe(3);
    expect(
      (await call("POST", GHOSTS, { key: alice, body: "x", headers: { "content-type": "text/plain" } })).status,
    ).toBe(415);
  });

  it("know only skills their owner sees", async () => {
    expect((await make(bob, "thief", { skills: ["own"] })).status).toBe(400);
    expect((await make(bob, "all", { skills: ["*"], preload_skills: ["chart"] })).status).toBe(201);
    const spaced = await make(bob, "spaced", { skills: [" chart @ >=1.0.0 "] });
    expect((await spaced.json<Ghost>()).spec).toMatchObject({ skills: ["chart@>=1.0.0"] });
  });

  it("are upserted by name", async () => {
    const path = `${GHOSTS}/by-name/default/${encodeURIComponent("My Ghost 1")}`;
    const made = await call("PUT", path, { key: alice, json: { spec: { systemPrompt: "a" } } });
    expect(made.status).toBe(201);
    const again = await call("PUT", path, {
      key: alice,
      json: { metadata: { name: "My Ghost 1" }, spec: { systemPrompt: "b" } },
    });
    expect(again.status).toBe(200);
    const [one, two] = [await made.json<Ghost>(), await again.json<Ghost>()];
    expect(idOf(two)).toBe(idOf(one));
    expect(two.spec).toMatchObject({ systemPrompt: "b" });
    expect((await call("PUT", path, { key: alice, json: { metadata: { name: "other" }, spec: {} } })).status).toBe(400);
    const otherCase = await call("PUT", `${GHOSTS}/by-name/default/my%20ghost%201`, { key: alice, json: { spec: {} } });
    expect(await otherCase.json()).toMatchObject({ status: 409, code: "NAME_CONFLICT" });
    expect((await call("PUT", `${GHOSTS}/by-name/team/x`, { key: alice, json: { spec: {} } })).status).toBe(404);
    const all = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        call("PUT", `${GHOSTS}/by-name/default/race`, { key: alice, json: { spec: { systemPrompt: `${n}` } } }),
      ),
    );
    expect(all.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 201]);
  });

  it("keep their names apart", async () => {
    expect((await make(alice, "taken")).status).toBe(201);
    const twice = await make(alice, "TAKEN");
    expect([twice.status, (await twice.json<{ code: string }>()).code]).toEqual([409, "NAME_CONFLICT"]);
    const free = await (await make(alice, "free")).json<Ghost>();
    const renamed = await call("PUT", `${GHOSTS}/${idOf(free)}`, {
      key: alice,
      json: { metadata: { name: "taken" }, spec: {} },
    });
    expect(renamed.status).toBe(409);
    expect((await make(bob, "taken")).status).toBe(201);
    await call("PUT", "/api/v1/groups/team/members/carol", { json: { role: "Maintainer" } });
    expect((await make(carol, "taken", {}, "team")).status).toBe(201);
    expect((await make(carol, "taken")).status).toBe(201);
    expect((await make(alice, "taken", {}, "team")).status).toBe(404);
  });

  it("are their owner's alone", async () => {
    const ghost = await (await make(alice, "secret", { systemPrompt: "s" })).json<Ghost>();
    const strip = (body: string) => body.replace(/"request_id":"[^"]*"/, "");
    for (const method of ["GET", "PUT", "DELETE"]) {
      const json = method === "PUT" ? { json: { metadata: { name: "x" }, spec: {} } } : {};
      for (const key of [bob, carol, undefined]) {
        const who = key === undefined ? {} : { key };
        const others = await call(method, `${GHOSTS}/${idOf(ghost)}`, { ...who, ...json });
        const nobodys = await call(method, `${GHOSTS}/gho_nothing`, { ...who, ...json });
        expect(others.status).toBe(404);
        expect(strip(await others.text())).toBe(strip(await nobodys.text()));
      }
    }
    expect((await call("GET", `${GHOSTS}/${idOf(ghost)}`, { key: alice })).status).toBe(200);
  });

  it("are listed page by page", async () => {
    const key = await keyFor("lister", { groups: ["zoo"] });
    await call("PUT", "/api/v1/groups/zoo/members/lister", { json: { role: "Maintainer" } });
    for (const name of ["c", "a", "b"]) await make(key, name);
    await make(key, "a", {}, "zoo");
    interface Page {
      items: Ghost[];
      next_cursor: string | null;
    }
    const list = async (query = "") => (await call("GET", `${GHOSTS}${query}`, { key })).json<Page>();
    const names = (page: Page) => page.items.map((item) => `${item.metadata.namespace}/${item.metadata.name}`);
    const all = ["default/a", "default/b", "default/c", "zoo/a"];
    expect(names(await list())).toEqual(all);
    const first = await list("?limit=3");
    expect(names(first)).toEqual(all.slice(0, 3));
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    expect([names(second), second.next_cursor]).toEqual([all.slice(3), null]);
    expect(names(await list("?skip=2&limit=1"))).toEqual(["default/c"]);
    expect(names(await list("?name=a"))).toEqual(["default/a", "zoo/a"]);
    expect(names(await list("?namespace=zoo"))).toEqual(["zoo/a"]);
    expect((await call("GET", `${GHOSTS}?namespace=nobody`, { key })).status).toBe(404);
    expect((await call("GET", `${GHOSTS}?limit=0`, { key })).status).toBe(400);
  });

  it("may name more skills than a statement has parameters", { tags: ["slow"] }, async () => {
    const key = await keyFor("many");
    const names = Array.from({ length: 130 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => call("POST", `${SKILLS}/upload`, { key, body: form(skillZip({ name })) })));
    const made = await make(key, "many", { skills: names });
    expect(made.status).toBe(201);
    const id = idOf(await made.json<Ghost>());
    expect(await env.DB.prepare("SELECT count(*) AS n FROM ghost_skills WHERE ghost_id = ?").bind(id).first("n")).toBe(
      130,
    );
  });
});
