import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { form } from "../support/skill";

interface Record {
  seq: number;
  actor: string;
  user_id: string | null;
  key_id: string;
  action: string;
  resource_type: string;
  resource_id: string;
  request_id: string;
  before: object | null;
  after: object | null;
}

const records = async (query: string) =>
  await (await call("GET", `/api/v1/audit?${query}`)).json<{ items: Record[]; next_cursor: string | null }>();

describe("the audit log", () => {
  it("records every change of skills, ghosts, secrets, servers and conversations, with user, key and request", async () => {
    const key = await keyFor("aud-ada");
    const { id } = await publishOwn(key, { name: "audited", version: "1.0.0" });
    const second = await publishOwn(key, { name: "audited", version: "1.1.0", body: "New." });
    const answer = await call("GET", `/api/v1/kinds/skills/${id}/versions`, { key });
    const { items: all } = await answer.json<{ items: { version_id: string }[] }>();
    const older = all.find(({ version_id }) => version_id !== second.version_id)?.version_id;
    await call("POST", `/api/v1/kinds/skills/${id}/versions/${older}/activate`, { key });
    const ghost = {
      kind: "Ghost",
      metadata: { name: "g", namespace: "default" },
      spec: { systemPrompt: "Private words.", skills: ["audited"] },
    };
    const made = await (await call("POST", "/api/v1/kinds/ghosts", { key, json: ghost })).json<{
      metadata: { labels: { id: string } };
    }>();
    const ghostId = made.metadata.labels.id;
    await call("PUT", `/api/v1/kinds/ghosts/${ghostId}`, { key, json: ghost });
    await call("POST", `/api/v1/kinds/skills/${id}/remove-references`, { key });
    await call("DELETE", `/api/v1/kinds/ghosts/${ghostId}`, { key });
    await call("DELETE", `/api/v1/kinds/skills/${id}`, { key, headers: { "x-request-id": "the-last-one" } });
    await call("PUT", "/api/v1/secrets/TOKEN", { key, json: { value: "planted-in-audit", hosts: ["x.example"] } });
    await call("DELETE", "/api/v1/secrets/TOKEN", { key });
    await call("PUT", "/api/v1/conversations/aud", { key, json: {} });
    await call("DELETE", "/api/v1/conversations/aud", { key });

    const { items } = await records("actor=aud-ada");
    expect(items.map(({ action }) => action).reverse()).toEqual([
      "skill.publish",
      "skill.publish",
      "skill.activate",
      "ghost.create",
      "ghost.update",
      "skill.remove_references",
      "ghost.delete",
      "skill.delete",
      "secret.put",
      "secret.delete",
      "conversation.delete",
    ]);
    const deleted = items.find(({ action }) => action === "skill.delete");
    expect(deleted).toMatchObject({
      user_id: "aud-ada",
      key_id: /^sgw_([0-9A-Za-z]+)_/.exec(key)?.[1],
      resource_type: "skill",
      resource_id: id,
      request_id: "the-last-one",
      before: { name: "audited", scope: "user" },
    });
    expect(new Set(items.map(({ actor }) => actor)).size).toBe(1);
    expect(deleted?.actor).not.toContain("ada");
    const activated = items.find(({ action }) => action === "skill.activate");
    expect(activated).toMatchObject({ before: { version_id: second.version_id }, after: { version_id: older } });
    expect(JSON.stringify(items)).not.toMatch(/planted-in-audit|Private words/);
  });

  it("has the gateway's servers and secrets", async () => {
    await call("PUT", "/api/v1/mcp-servers/aud", {
      json: { url: "https://mcp.example/", headers: { "X-Key": "literal-credential" } },
    });
    await call("DELETE", "/api/v1/mcp-servers/aud");
    const { items } = await records("resource_type=mcp_server&resource_id=aud");
    expect(items).toMatchObject([
      { action: "mcp_server.delete", user_id: "admin" },
      { action: "mcp_server.put", after: { headers: ["X-Key"] } },
    ]);
    expect(JSON.stringify(items)).not.toContain("literal-credential");
  });

  it("records keys, groups and members, and names users by pseudonym only", async () => {
    const made = await call("POST", "/api/v1/keys", { json: { user_id: "aud-olga", groups: [] } });
    const { id, key } = await made.json<{ id: string; key: string }>();
    const group = "/api/v1/groups/aud-team";
    await call("POST", "/api/v1/groups", { json: { name: "aud-team" } });
    await call("PUT", `${group}/members/aud-olga`, { json: { role: "Owner" } });
    await call("DELETE", `${group}/members/admin`);
    await call("PUT", group, { key, json: { display_name: "Team" } });
    await call("PUT", `${group}/members/aud-piet`, { key, json: { role: "Developer" } });
    expect((await call("DELETE", `${group}/members/aud-nobody`, { key })).status).toBe(404);
    expect((await call("DELETE", `${group}/members/aud-olga`, { key })).status).toBe(409);
    await call("DELETE", `${group}/members/aud-piet`, { key });
    await call("DELETE", group, { key });
    const rotated = await (await call("POST", `/api/v1/keys/${id}/rotate`, { key, json: {} })).json<{ id: string }>();
    await call("DELETE", `/api/v1/keys/${rotated.id}`);
    const own = await records("actor=aud-olga");
    expect(own.items.map(({ action }) => action).reverse()).toEqual([
      "group.update",
      "group.member.put",
      "group.member.remove",
      "group.delete",
      "key.rotate",
    ]);
    const [member] = own.items.filter(({ action }) => action === "group.member.put");
    expect(member?.after).toMatchObject({ role: "Developer", user_id: expect.stringMatching(/^usr_/) });
    const ofGroup = await records("resource_type=group&resource_id=aud-team&actor=admin");
    expect(ofGroup.items.map(({ action }) => action).reverse()).toEqual([
      "group.create",
      "group.member.put",
      "group.member.remove",
    ]);
    const keys = await records(`resource_type=key&resource_id=${rotated.id}`);
    expect(keys.items.map(({ action }) => action)).toEqual(["key.revoke", "key.rotate"]);
    const { results } = await env.DB.prepare("SELECT * FROM audit").all();
    expect(JSON.stringify(results)).not.toMatch(/aud-olga|aud-piet/);
  });

  it("has nothing of what did not happen", async () => {
    const key = await keyFor("aud-bob");
    await publishOwn(key, { name: "same" });
    await publishOwn(key, { name: "same" });
    await call("POST", "/api/v1/kinds/skills/upload", { key, body: form(new Uint8Array([1, 2, 3])) });
    for (const path of ["kinds/ghosts/gho_none", "kinds/skills/skl_none", "secrets/NONE", "conversations/none"])
      await call("DELETE", `/api/v1/${path}`, { key });
    const used = await publishOwn(key, { name: "used" });
    const ghost = { kind: "Ghost", metadata: { name: "keeper", namespace: "default" }, spec: { skills: ["used"] } };
    await call("POST", "/api/v1/kinds/ghosts", { key, json: ghost });
    expect((await call("DELETE", `/api/v1/kinds/skills/${used.id}`, { key })).status).toBe(409);
    expect((await call("POST", "/api/v1/kinds/ghosts", { key, json: ghost })).status).toBe(409);
    const { items } = await records("actor=aud-bob");
    expect(items.map(({ action }) => action).reverse()).toEqual(["skill.publish", "skill.publish", "ghost.create"]);
  });

  it("is filtered, and read page by page", async () => {
    const key = await keyFor("aud-eve");
    for (const name of ["a", "b", "c"])
      await call("PUT", `/api/v1/kinds/ghosts/by-name/default/${name}`, { key, json: { spec: {} } });
    const first = await records("actor=aud-eve&limit=2");
    const rest = await records(`actor=aud-eve&limit=2&cursor=${first.next_cursor}`);
    expect([first.items.length, rest.items.length, rest.next_cursor]).toEqual([2, 1, null]);
    expect((await records("actor=aud-eve&action=ghost.delete")).items).toEqual([]);
    expect((await records("actor=aud-eve&until=2020-01-01T00:00:00Z")).items).toEqual([]);
    expect((await records("actor=aud-eve&since=2020-01-01T00:00:00Z")).items).toHaveLength(3);
    const [{ actor } = { actor: "" }] = first.items;
    expect((await records(`actor=${actor}`)).items).toHaveLength(3);
  });

  it("can be read by admins, and changed by no user", async () => {
    expect((await call("GET", "/api/v1/audit", { key: await keyFor("aud-mallory") })).status).toBe(403);
    for (const sql of ["UPDATE audit SET actor = 'x'", "DELETE FROM audit"])
      await expect(env.DB.prepare(sql).run()).rejects.toThrow(/append-only/);
  });
});
