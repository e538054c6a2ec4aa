// Access to servers of the gateway, of groups, of users, and of a ghost's conversations. Every view, call and proxied request checks the
// caller's current rights.

import { beforeEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { connectedTurn, talk, textOf } from "../support/chat-turns";
import { listing } from "../support/listing";
import { host } from "../support/mcp-client";
import { send } from "../support/proxy";
import { gatewayServers, serversOf } from "../support/servers";
import { faults, forget, scripted, seen } from "../support/upstream";

const PATIENT = { timeout: 60, connect_timeout: 60 };
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const SERVERS = "/api/v1/servers";
const variable = (name: string) => ["$", `{{${name}}}`].join("");

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

/** Stores a server of a user's own, or of a group. */
async function keep(key: string, name: string, entry: object): Promise<void> {
  const put = await call("PUT", `${SERVERS}/${name}`, { key, json: { ...PATIENT, ...entry } });
  if (!put.ok) throw new Error(await put.text());
}

/** The tools of servers in a new conversation. */
async function toolsOf(user: string, settings: object = {}): Promise<string[]> {
  const turn = await connectedTurn(await talk(user, settings));
  return turn.tools.map(({ name }) => name).filter((name) => name.includes("__"));
}

const usable = async (key: string) =>
  (await (await call("GET", "/api/v1/me/servers", { key })).json<{ items: object[] }>()).items;

describe("a user's own server", () => {
  it("is in all of the user's conversations and at the proxy, and nowhere else", async () => {
    const key = await keyFor("owner-one");
    await keep(key, "notes", { url: await scripted("own-notes", listing("add")) });
    expect(await toolsOf("owner-one")).toEqual(["notes__add"]);
    expect(await toolsOf("owner-two")).toEqual([]);
    expect(await (await send("notes", LIST, { user: "owner-one" })).text()).toContain('"add"');
    expect((await send("notes", LIST, { user: "owner-two" })).status).toBe(404);
    expect(await usable(key)).toEqual([{ name: "notes", scope: "user", type: "streamable-http" }]);
    expect(await usable(await keyFor("owner-two"))).toEqual([]);
    const client = await host("/mcp/of-owner-one", "owner-one");
    await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name)).toContain("notes__add");
    await client.close();
  });

  it("is added and removed during a conversation, and a call of a removed server reaches nothing", async () => {
    const key = await keyFor("owner-three");
    const chat = await talk({ key });
    expect((await connectedTurn(chat)).tools.some(({ name }) => name === "late__add")).toBe(false);
    await keep(key, "late", { url: await scripted("own-late", listing("add")) });
    await connectedTurn(chat);
    expect(textOf(await chat.use("late__add"))).toBe("well");
    expect((await serversOf(chat)).map(({ server, source }) => [server, source])).toEqual([["late", "user"]]);
    expect((await call("DELETE", `${SERVERS}/late`, { key })).status).toBe(204);
    await forget();
    const result = await chat.use("late__add");
    expect(result.isError).toBe(true);
    expect(await seen("/scripted/own-late")).toEqual([]);
    expect((await call("DELETE", `${SERVERS}/late`, { key })).status).toBe(404);
  });

  it("replaces the gateway's server of the same name for its user only, and can be disabled", async () => {
    await gatewayServers({ wiki: { url: await scripted("gateway-wiki", listing("read")), ...PATIENT } });
    const key = await keyFor("owner-four");
    await keep(key, "wiki", { url: await scripted("own-wiki", listing("write")) });
    expect(await toolsOf("owner-four")).toEqual(["wiki__write"]);
    expect(await toolsOf("owner-five")).toEqual(["wiki__read"]);
    expect(await usable(key)).toMatchObject([{ name: "wiki", scope: "user" }]);
    await keep(key, "wiki", { url: "https://mcp.example.com/", enabled: false });
    expect(await toolsOf("owner-four")).toEqual([]);
    expect((await send("wiki", LIST, { user: "owner-four" })).status).toBe(404);
  });

  it("uses its user's secrets, and never the gateway's or a group's", async () => {
    const key = await keyFor("owner-six");
    const secret = { value: "a secret of the gateway", hosts: ["127.0.0.1"], scope: "gateway" };
    await call("PUT", "/api/v1/secrets/SHARED_TOKEN", { json: secret });
    const entry = { url: `${faults}/ok/own-secret`, headers: { authorization: variable("secrets.SHARED_TOKEN") } };
    await keep(key, "thief", entry);
    const tried = await (await call("POST", `${SERVERS}/thief/test`, { key })).json();
    expect(tried).toMatchObject({ reachable: false, error: expect.stringContaining("SHARED_TOKEN") });
    const chat = await talk({ key });
    const turn = await connectedTurn(chat);
    expect(turn.warnings).toMatchObject([{ code: "MCP_SERVER_UNAVAILABLE" }]);
    expect((await send("thief", LIST, { user: "owner-six" })).status).toBe(502);
    expect(await seen("/ok/own-secret")).toEqual([]);
    const mine = { value: "a secret of my own", hosts: ["127.0.0.1"] };
    await call("PUT", "/api/v1/secrets/SHARED_TOKEN", { key, json: mine });
    await call("POST", `${SERVERS}/thief/test`, { key });
    const sent = (await seen("/ok/own-secret")).map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set(["a secret of my own"]));
  });

  it("is one of 20, is exported, and goes with its user", async () => {
    const key = await keyFor("owner-seven");
    for (let n = 0; n < 20; n++) await keep(key, `s${n}`, { url: "https://mcp.example.com/" });
    const more = await call("PUT", `${SERVERS}/s20`, { key, json: { url: "https://mcp.example.com/" } });
    expect([more.status, await more.json()]).toMatchObject([409, { code: "QUOTA_EXCEEDED", limit: 20 }]);
    const page = await (await call("GET", `${SERVERS}?limit=3`, { key })).json<{
      items: object[];
      next_cursor: string;
    }>();
    expect(page.items).toMatchObject([{ name: "s0" }, { name: "s1" }, { name: "s10" }]);
    const data = await (await call("GET", "/api/v1/users/owner-seven/export")).json<{ mcp_servers: object[] }>();
    expect(data.mcp_servers).toHaveLength(20);
    expect((await call("DELETE", "/api/v1/users/owner-seven")).status).toBe(200);
    expect(await usable(await keyFor("owner-seven"))).toEqual([]);
  });

  it("is refused where its URL may not lead, and with fields that are the gateway's", async () => {
    const key = await keyFor("owner-eight");
    const put = (json: object) => call("PUT", `${SERVERS}/bad`, { key, json });
    expect((await put({ url: `https://${variable("user.id")}/` })).status).toBe(400);
    expect((await put({ url: "https://mcp.example.com/", guard: true })).status).toBe(400);
    expect((await put({ url: "https://mcp.example.com/", scope: "gateway" })).status).toBe(400);
    expect((await put({ url: "https://mcp.example.com/", ghosts: ["any"] })).status).toBe(400);
  });
});

describe("a group's server", () => {
  it("is its members', from the moment they are until the moment they are not", async () => {
    const admin = await keyFor("crew-admin", { role: "admin" });
    await call("POST", "/api/v1/groups", { key: admin, json: { name: "crew-of-servers" } });
    const member = "/api/v1/groups/crew-of-servers/members/crew-member";
    const owner = await keyFor("crew-admin");
    const group = { scope: "group", group_name: "crew-of-servers" };
    await keep(owner, "crm", { url: await scripted("group-crm", listing("find")), ...group });
    const key = await keyFor("crew-member");
    const chat = await talk({ key });
    expect((await connectedTurn(chat)).tools.some(({ name }) => name === "crm__find")).toBe(false);
    expect((await call("PUT", member, { key: admin, json: { role: "Reporter" } })).status).toBeLessThan(300);
    await connectedTurn(chat);
    expect(textOf(await chat.use("crm__find"))).toBe("well");
    expect(await usable(key)).toMatchObject([{ name: "crm", ...group }]);
    // Reporters can use the server, but can neither read its address nor change it.
    const query = "?scope=group&group_name=crew-of-servers";
    expect((await call("GET", `${SERVERS}/crm${query}`, { key })).status).toBe(403);
    expect((await call("DELETE", `${SERVERS}/crm${query}`, { key })).status).toBe(403);
    await call("DELETE", member, { key: admin });
    await forget();
    expect((await chat.use("crm__find")).isError).toBe(true);
    expect(await seen("/scripted/group-crm")).toEqual([]);
    expect((await send("crm", LIST, { user: "crew-member" })).status).toBe(404);
    // A later group with the same name receives none of this group's servers.
    expect((await call("DELETE", "/api/v1/groups/crew-of-servers", { key: admin })).status).toBe(204);
    await call("POST", "/api/v1/groups", { key: admin, json: { name: "crew-of-servers" } });
    expect(await usable(owner)).toEqual([]);
  });
});

describe("a server for ghosts", () => {
  it("is in conversations with one of them, and nowhere else", async () => {
    const make = async (name: string, namespace: string) => {
      const json = { metadata: { name, namespace }, spec: { skills: ["*"] } };
      const made = await call("POST", "/api/v1/kinds/ghosts", { json });
      return (await made.json<{ metadata: { labels: { id: string } } }>()).metadata.labels.id;
    };
    const id = await make("researcher-of-servers", "public");
    await make("other-of-servers", "public");
    const entry = { url: await scripted("ghosts-lab", listing("measure")), ...PATIENT, ghosts: [id] };
    expect((await call("PUT", "/api/v1/mcp-servers/lab", { json: entry })).status).toBe(201);
    const key = await keyFor("of-ghost");
    expect(await toolsOf("of-ghost", { ghost: "researcher-of-servers" })).toEqual(["lab__measure"]);
    expect(await toolsOf("of-ghost", { ghost: "other-of-servers" })).toEqual([]);
    expect(await toolsOf("of-ghost")).toEqual([]);
    // A user's own ghost or inline spec with the same name does not grant access.
    const own = { metadata: { name: "researcher-of-servers", namespace: "default" }, spec: { skills: ["*"] } };
    expect((await call("POST", "/api/v1/kinds/ghosts", { key, json: own })).status).toBe(201);
    expect(await toolsOf("of-ghost", { ghost: "researcher-of-servers" })).toEqual([]);
    expect(await toolsOf("of-ghost", { spec: { skills: ["*"] } })).toEqual([]);
    expect(await usable(key)).toEqual([]);
    expect((await send("lab", LIST, { user: "of-ghost" })).status).toBe(404);
  });
});
