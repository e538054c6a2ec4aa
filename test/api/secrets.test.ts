import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";

const BASE = "/api/v1/secrets";
const VALUE = "planted-value-7f3a91";
const hosts = ["mcp.example.com"];

interface Facts {
  name: string;
  scope: string;
  hosts: string[];
  last_used_at: string | null;
}

describe("secrets", () => {
  it("go in and never come out", async () => {
    const key = await keyFor("sec-ada");
    const made = await call("PUT", `${BASE}/TOKEN`, { key, json: { value: VALUE, hosts } });
    expect(made.status).toBe(201);
    const facts = await made.json<Facts>();
    expect(facts).toMatchObject({ name: "TOKEN", scope: "user", hosts, last_used_at: null });
    const again = await call("PUT", `${BASE}/TOKEN`, { key, json: { value: `${VALUE}2`, hosts: ["*.example.com"] } });
    expect([again.status, (await again.json<Facts>()).hosts]).toEqual([200, ["*.example.com"]]);
    const ported = await call("PUT", `${BASE}/TOKEN`, { key, json: { value: `${VALUE}2`, hosts: ["a.example:8443"] } });
    expect([ported.status, (await ported.json<Facts>()).hosts]).toEqual([200, ["a.example:8443"]]);
    for (const host of ["a.example:0", "a.example:65536", "a.example:x", "https://a.example", "a.example:443/x"]) {
      const refused = await call("PUT", `${BASE}/TOKEN`, { key, json: { value: `${VALUE}2`, hosts: [host] } });
      expect([host, refused.status]).toEqual([host, 400]);
    }

    const one = await call("GET", `${BASE}/TOKEN`, { key });
    const list = await call("GET", BASE, { key });
    const seen = [await one.text(), await list.text(), JSON.stringify(facts)].join();
    expect(seen).toContain("TOKEN");
    expect(seen).not.toContain(VALUE);
    expect(one.headers.get("etag")).not.toBeNull();

    expect((await call("DELETE", `${BASE}/TOKEN`, { key })).status).toBe(204);
    expect((await call("GET", `${BASE}/TOKEN`, { key })).status).toBe(404);
    expect((await call("DELETE", `${BASE}/TOKEN`, { key })).status).toBe(404);
  });

  it("stand encrypted in the database", async () => {
    await call("PUT", `${BASE}/PLANTED`, { json: { value: VALUE, hosts, scope: "gateway" } });
    const { results } = await env.DB.prepare("SELECT * FROM secrets").all();
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify(results)).not.toContain(VALUE);
    expect(JSON.stringify(results)).not.toContain(btoa(VALUE).slice(0, 20));
  });

  it("are their owner's alone", async () => {
    const [ada, bob] = [await keyFor("own-ada", { groups: ["own-team"] }), await keyFor("own-bob")];
    await call("PUT", `${BASE}/MINE`, { key: ada, json: { value: VALUE, hosts } });
    const stranger = await call("GET", `${BASE}/MINE`, { key: bob });
    const missing = await call("GET", `${BASE}/NOBODYS`, { key: bob });
    expect([stranger.status, missing.status]).toEqual([404, 404]);
    const strip = async (answer: Response) => ({ ...(await answer.json<object>()), request_id: "" });
    expect(await strip(stranger)).toEqual(await strip(missing));
    expect((await call("DELETE", `${BASE}/MINE`, { key: bob })).status).toBe(404);

    const group = { scope: "group", group_name: "own-team" };
    const team = { key: ada, json: { value: VALUE, hosts, ...group } };
    // A Developer can use the group's secrets but not manage them.
    expect((await call("PUT", `${BASE}/TEAM`, team)).status).toBe(403);
    await call("PUT", "/api/v1/groups/own-team/members/own-ada", { json: { role: "Maintainer" } });
    expect((await call("PUT", `${BASE}/TEAM`, team)).status).toBe(201);
    const query = "?scope=group&group_name=own-team";
    expect((await call("GET", `${BASE}/TEAM${query}`, { key: ada })).status).toBe(200);
    expect((await call("GET", `${BASE}/TEAM${query}`, { key: bob })).status).toBe(404);
    const gateway = await call("PUT", `${BASE}/ALL`, { key: ada, json: { value: VALUE, hosts, scope: "gateway" } });
    expect(gateway.status).toBe(403);
    expect((await call("POST", `${BASE}/rotate`, { key: ada })).status).toBe(403);
  });

  it("are refused with everything that is wrong, and without the value", async () => {
    const answer = await call("PUT", `${BASE}/1BAD`, {
      json: { value: "short", hosts: ["http://x/"], scope: "group", more: 1 },
    });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).not.toContain("short");
    const paths = (JSON.parse(text) as { issues: { path: string }[] }).issues.map((issue) => issue.path);
    expect(paths.join()).toMatch(/name/);
    const body = await call("PUT", `${BASE}/GOOD`, {
      json: { value: "short", hosts: ["http://x/"], scope: "group", more: 1 },
    });
    const more = await body.text();
    expect(more).not.toContain('"short"');
    for (const field of ["value", "hosts", "more"]) expect(more).toContain(field);
    const broken = await call("PUT", `${BASE}/GOOD`, {
      body: `{"value":"${VALUE}`,
      headers: { "content-type": "application/json" },
    });
    expect(broken.status).toBe(400);
    expect(await broken.text()).not.toContain(VALUE);
  });

  it("come page by page", async () => {
    const key = await keyFor("pages-ada");
    for (const name of ["C", "A", "B"]) await call("PUT", `${BASE}/${name}`, { key, json: { value: VALUE, hosts } });
    const first = await (await call("GET", `${BASE}?limit=2`, { key })).json<{ items: Facts[]; next_cursor: string }>();
    expect(first.items.map((secret) => secret.name)).toEqual(["A", "B"]);
    const rest = await call("GET", `${BASE}?limit=2&cursor=${first.next_cursor}`, { key });
    expect(await rest.json()).toMatchObject({ items: [{ name: "C" }], next_cursor: null });
  });
});
