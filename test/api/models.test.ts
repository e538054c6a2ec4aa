// Stored models of the chat endpoint: ownership, allowed addresses, and fields that are never returned.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";

const BASE = "/api/v1/models";
const entry = { api: ["openai-chat", "openai-responses"], base_url: "https://api.example.com/v1", model: "m-1" };
const KEY = "$" + "{{secrets.MODEL_KEY}}";

interface Problem {
  issues: { code: string; path: string }[];
}
const pathsOf = async (answer: Response) => (await answer.json<Problem>()).issues.map(({ path }) => path);

describe("models", () => {
  it("are stored whole, listed by name and deleted", async () => {
    const key = await keyFor("mod-ada");
    const full = { ...entry, key: KEY, headers: { "x-title": "Skills" }, allow: { server_tools: ["web_search"] } };
    const made = await call("PUT", `${BASE}/team%2Fgood-one`, { key, json: full });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ name: "team/good-one", scope: "user", ...full });
    const again = await call("PUT", `${BASE}/team%2Fgood-one`, { key, json: entry });
    expect([again.status, await again.json()]).toEqual([200, expect.not.objectContaining({ key: KEY })]);
    await call("PUT", `${BASE}/another`, { key, json: entry });
    const first = await (await call("GET", `${BASE}?limit=1`, { key })).json<{
      items: { name: string }[];
      next_cursor: string;
    }>();
    const rest = await (await call("GET", `${BASE}?cursor=${first.next_cursor}`, { key })).json<typeof first>();
    expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(["another", "team/good-one"]);
    expect((await call("GET", `${BASE}/team%2Fgood-one`, { key })).headers.get("etag")).not.toBeNull();
    expect((await call("DELETE", `${BASE}/another`, { key })).status).toBe(204);
    expect((await call("GET", `${BASE}/another`, { key })).status).toBe(404);
  });

  it("are refused with everything that is wrong, and a key that is written out never comes back", async () => {
    const planted = "sk-planted-model-key-1234567890";
    const answer = await call("PUT", `${BASE}/bad`, {
      json: {
        ...{ api: ["anthropic", "openai-chat"], base_url: "https://api.example.com/v1?x=1", model: "m", key: planted },
        headers: { authorization: "Bearer x", "x-a": "$" + "{{nothing}}" },
      },
    });
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).not.toContain(planted);
    const { issues } = JSON.parse(text) as Problem;
    expect(issues.map(({ path }) => path)).toEqual(["api", "base_url", "key", "headers.authorization", "headers.x-a"]);
    const { results } = await env.DB.prepare("SELECT * FROM models WHERE name = 'bad'").all();
    expect(results).toEqual([]);
    for (const name of ["ghost%2Fx", "a:plain", "-x"])
      expect([name, (await call("PUT", `${BASE}/${name}`, { json: entry })).status]).toEqual([name, 400]);
  });

  it("whose key is not stored say whose secret is looked for", async () => {
    const key = await keyFor("mod-keyless");
    await call("PUT", `${BASE}/mine`, { key, json: { ...entry, key: KEY } });
    await call("PUT", `${BASE}/shared-keyless`, { json: { ...entry, key: KEY, scope: "gateway" } });
    for (const [model, owner] of [
      ["mine", "of yours"],
      ["shared-keyless", "of the gateway"],
    ]) {
      const json = { model, messages: [{ role: "user", content: "Hello" }] };
      const answer = await call("POST", "/openai/v1/chat/completions", { key, json });
      expect(answer.status).toBe(502);
      expect(await answer.json()).toMatchObject({
        error: {
          code: "model_misconfigured",
          message: expect.stringContaining(`the secret 'MODEL_KEY' ${owner} was not found`),
        },
      });
    }
    await call("DELETE", `${BASE}/shared-keyless?scope=gateway`);
  });

  it("are on public hosts, and the gateway's where the operator says", async () => {
    const key = await keyFor("mod-net");
    const inside = { ...entry, base_url: "http://10.0.0.5:8000/v1" };
    const put = (settings: object, json: object, as = ADMIN_KEY) =>
      askWith({ ...settings }, `${BASE}/own-network`, {
        method: "PUT",
        headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
        body: JSON.stringify(json),
      });
    const named = { MODEL_HOSTS: "http://10.0.0.5:8000" };
    expect(await pathsOf(await put({}, { ...inside, scope: "gateway" }))).toEqual(["base_url"]);
    expect((await put(named, { ...inside, scope: "gateway" })).status).toBe(201);
    // Another port is another server, and users can never store a model at an internal address.
    expect((await put(named, { ...inside, base_url: "http://10.0.0.5:8001/v1", scope: "gateway" })).status).toBe(400);
    expect((await put(named, inside, key)).status).toBe(400);
    expect((await put({ MODEL_HOSTS: "10.0.0.5" }, inside)).status).toBe(503);
  });

  it("leave with their group, and each change is in the audit log without whose it is", async () => {
    await call("POST", "/api/v1/groups", { json: { name: "mod-team" } });
    const json = { ...entry, scope: "group", group_name: "mod-team" };
    const stranger = await keyFor("mod-stranger");
    expect((await call("PUT", `${BASE}/shared`, { key: stranger, json })).status).toBe(404);
    await call("PUT", "/api/v1/groups/mod-team/members/mod-lead", { json: { role: "Maintainer" } });
    const key = await keyFor("mod-lead");
    expect((await call("PUT", `${BASE}/shared`, { key, json })).status).toBe(201);
    const { items } = await (await call("GET", "/api/v1/audit?action=model.put&actor=mod-lead")).json<{
      items: object[];
    }>();
    expect(items).toMatchObject([{ resource_id: "group:mod-team/shared", after: { model: "m-1" } }]);
    expect((await call("DELETE", "/api/v1/groups/mod-team")).status).toBe(204);
    const { results } = await env.DB.prepare("SELECT * FROM models WHERE scope = 'group:mod-team'").all();
    expect(results).toEqual([]);
  });
});
