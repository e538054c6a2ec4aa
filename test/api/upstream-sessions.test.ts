// Sessions at MCP servers: conversations and connection tests close them, because some servers run a process for each session.

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { call } from "../support/call";
import { publishPublic, talk } from "../support/chat-turns";
import { evict, holdClock, pass, releaseClock, ring } from "../support/clock";
import { gatewayServers, serverSkill, serversOf } from "../support/servers";
import { faults, forget, scripted, seen } from "../support/upstream";

const PATIENT = { timeout: 20_000 };

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

/** Returns the ids of the sessions that were closed at the server with this path. */
async function ended(path: string): Promise<string[]> {
  const told = (await seen(path)).filter(({ http }) => http === "DELETE");
  return told.map(({ headers }) => headers["mcp-session-id"] ?? "none");
}

/** Starts a conversation that has a session at the server `well`. */
async function calledOnce(user: string) {
  const chat = await talk(user);
  await chat.turn();
  expect((await chat.use("well__echo")).isError).toBeUndefined();
  return { chat, user, id: chat.route.slice(chat.route.lastIndexOf("/") + 1) };
}

describe("the session with a server ends", () => {
  it.each([
    ["is in memory", false],
    ["was evicted", true],
  ])("with its conversation, which %s", async (_, evicted) => {
    const path = "/ok/none";
    await gatewayServers({ well: { url: `${faults}${path}` } });
    const chat = await talk(`leaver-${evicted}`);
    await chat.turn();
    expect((await chat.use("well__echo")).isError).toBeUndefined();
    const [used] = (await seen(path)).filter(({ method }) => method === "tools/call");
    const id = chat.route.slice(chat.route.lastIndexOf("/") + 1);
    if (evicted) await evictDurableObject(env.CONVERSATIONS.getByName(JSON.stringify([`leaver-${evicted}`, id])));
    // The server rejects the DELETE of its session. This is not reported as an error.
    expect((await call("DELETE", chat.route, { key: chat.key })).status).toBe(204);
    await expect.poll(() => ended(path), PATIENT).toEqual([used?.headers["mcp-session-id"]]);
  });

  it.each([false, true])("with its idle conversation, evicted before: %s", async (evicted) => {
    const path = "/ok/none";
    await gatewayServers({ well: { url: `${faults}${path}` } });
    const { id, user } = await calledOnce(`idler-${evicted}`);
    const [used] = (await seen(path)).filter(({ method }) => method === "tools/call");
    if (evicted) await evict(id, "hibernate", user);
    holdClock();
    try {
      pass(31 * 24 * 60 * 60_000);
      expect(await ring(id, user)).toBe(true);
    } finally {
      releaseClock();
    }
    await expect.poll(() => ended(path), PATIENT).toEqual([used?.headers["mcp-session-id"]]);
  });

  it.each([false, true])("with its user, when that is erased, evicted before: %s", async (evicted) => {
    const path = "/ok/none";
    await gatewayServers({ well: { url: `${faults}${path}` } });
    const { id, user } = await calledOnce(`erased-${evicted}`);
    const [used] = (await seen(path)).filter(({ method }) => method === "tools/call");
    if (evicted) await evict(id, "hibernate", user);
    expect((await call("DELETE", `/api/v1/users/${user}`)).status).toBe(200);
    await expect.poll(() => ended(path), PATIENT).toEqual([used?.headers["mcp-session-id"]]);
  });

  it.each([false, true])("when its server leaves the conversation, evicted before: %s", async (evicted) => {
    const path = "/ok/none";
    await gatewayServers({ well: { url: `${faults}${path}` }, other: { url: `${faults}/ok/other` } });
    const { chat, id, user } = await calledOnce(`parted-${evicted}`);
    await chat.use("other__echo");
    const [used] = (await seen(path)).filter(({ method }) => method === "tools/call");
    await chat.turn();
    expect(await ended(path)).toEqual([]);
    if (evicted) await evict(id, "hibernate", user);
    expect((await call("DELETE", "/api/v1/mcp-servers/well")).status).toBe(204);
    await chat.turn();
    await expect.poll(() => ended(path), PATIENT).toEqual([used?.headers["mcp-session-id"]]);
    // The session at the other server stays open.
    expect((await chat.use("other__echo")).isError).toBeUndefined();
    expect(await ended("/ok/other")).toEqual([]);
  });

  it("when the skill that brought its server is unloaded, with the next turn", async () => {
    const path = "/ok/none";
    await publishPublic(serverSkill("bringer", { well: { url: `${faults}${path}` } }));
    const chat = await talk("unloader");
    await chat.load("bringer");
    await chat.turn();
    await chat.use("well__echo");
    const [used] = (await seen(path)).filter(({ method }) => method === "tools/call");
    await chat.use("unload_skill", { skill_name: "bringer" });
    await chat.turn();
    await expect.poll(() => ended(path), PATIENT).toEqual([used?.headers["mcp-session-id"]]);
  });

  it("when a look at it is over, and the answer does not wait for that", async () => {
    const url = await scripted("stateful", {
      initialize: {
        headers: { "content-type": "application/json", "mcp-session-id": "a-session" },
        body: `{"jsonrpc":"2.0","id":@id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`,
      },
      DELETE: { headers: { "content-type": "text/plain" }, body: ["still"], stands: true },
    });
    await call("PUT", "/api/v1/mcp-servers/stateful", { json: { url } });
    const answer = await call("POST", "/api/v1/mcp-servers/stateful/test");
    expect(await answer.json()).toMatchObject({ reachable: true });
    await expect.poll(() => ended("/scripted/stateful"), PATIENT).toEqual(["a-session"]);
  });
});

describe("what an entry says of tools", () => {
  const LIST = {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "@id",
      result: {
        tools: [
          { name: "a.b", inputSchema: { type: "object" } },
          { name: "a_b", inputSchema: { type: "object" } },
          { name: "denied", inputSchema: { type: "object" } },
          { name: "broken", inputSchema: "none" },
          { name: "task", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
        ],
      },
    }).replace('"@id"', "@id"),
  };

  it("holds for a look at it, names what is left out, and what does nothing is said", async () => {
    const url = await scripted("lists", { "tools/list": LIST });
    await call("PUT", "/api/v1/mcp-servers/lists", { json: { url, allow: ["a_b", "e*"], deny: ["denied"] } });
    const answer = await call("POST", "/api/v1/mcp-servers/lists/test");
    expect(await answer.json()).toMatchObject({
      tools: [{ name: "a_b" }],
      problems: [
        expect.stringMatching(/^tool 'broken' is ignored: its inputSchema/),
        expect.stringMatching(/^tool 'task' is ignored: .*task/),
        expect.stringContaining("'e*'"),
      ],
    });
  });

  it("is applied in a conversation, where unchanged tools keep their names", async () => {
    await gatewayServers({ lists: { url: await scripted("lists", { "tools/list": LIST }), deny: ["denied", "e*"] } });
    const chat = await talk("lister");
    const { tools, warnings } = await chat.turn();
    const names = tools.map(({ name }) => name).filter((name) => name.startsWith("lists__"));
    expect(names).toEqual([expect.stringMatching(/^lists__a_b_[0-9a-f]{6}$/), "lists__a_b"]);
    expect(warnings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining("'broken'"), expect.stringContaining("'e*'")]),
    );
    expect((await serversOf(chat)).map(({ state }) => state)).toEqual(["connected"]);
  });
});

it("a header that no request can carry is refused when it is written", async () => {
  const entry = { url: "https://mcp.example/mcp", headers: { "X-A": "one\r\nX-B: two" } };
  const answer = await call("PUT", "/api/v1/mcp-servers/split", { json: entry });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { issues: [{ code: "BAD_HEADER", path: "headers.X-A" }] },
  ]);
});
