// Tool settings of a server entry in a conversation and the proxy: patterns, prefixes, and a disabled server.

import { beforeEach, describe, expect, it } from "vitest";
import { call } from "../support/call";
import { connectedTurn, talk, textOf } from "../support/chat-turns";
import { listing } from "../support/listing";
import { send } from "../support/proxy";
import { gatewayServers, serversOf, withServers } from "../support/servers";
import { forget, scripted } from "../support/upstream";

const PATIENT = { timeout: 60, connect_timeout: 60 };

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

async function offered(user: string, settings: object = {}) {
  const chat = await talk(user, settings);
  const turn = await connectedTurn(chat);
  const own = /^(load|unload|read|find|execute|call)_skill/;
  const tools = turn.tools.map(({ name }) => name).filter((name) => !own.test(name));
  return { chat, tools, warnings: turn.warnings.map(({ message }) => message) };
}

describe("an entry", () => {
  it("allows and denies by patterns, in a conversation and through the proxy", async () => {
    const url = await scripted("patterns", listing("get_user", "get_secret", "drop_user"));
    await gatewayServers({ crm: { url, ...PATIENT, allow: ["get_*", "put_*"], deny: ["*secret*"] } });
    const { chat, tools, warnings } = await offered("patterns");
    expect(tools).toEqual(["crm__get_user"]);
    expect(warnings.join()).toContain("names tools that it does not have: 'put_*'");
    const refused = await chat.calls({ id: "a", name: "crm__get_secret", arguments: {} });
    expect(refused.results).toEqual([]);
    const listed = await send("crm", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(await listed.text()).not.toMatch(/secret|drop/);
    const called = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "get_secret" } };
    expect(await (await send("crm", called)).json()).toMatchObject({ error: { code: -32602 } });
  });

  it("calls its tools by their bare names where that is free", async () => {
    const url = await scripted("bare", listing("search", "load_skill"));
    const other = await scripted("bare-too", listing("search", "only_here"));
    await gatewayServers({
      a: { url, ...PATIENT, prefix: "on-conflict" },
      b: { url: other, ...PATIENT, prefix: "never" },
    });
    const { chat, tools, warnings } = await offered("bare");
    // The first server with a tool name uses it. Names of the gateway's own tools are reserved.
    expect(tools.sort()).toEqual(["a__load_skill", "only_here", "search"]);
    expect(warnings).toEqual([expect.stringMatching(/'b'.*'search'/)]);
    const called = await chat.calls({ id: "x", name: "only_here", arguments: {} });
    expect(textOf(called.results[0]!)).toBe("well");
    const status = await serversOf(chat);
    expect(status.map(({ tools: names }) => names.sort())).toEqual([["a__load_skill", "search"], ["only_here"]]);
  });

  it("that is disabled is not available, nor is the server that it replaced", async () => {
    const url = await scripted("off", listing("x"));
    await gatewayServers({ off: { url, ...PATIENT, enabled: false }, on: { url, ...PATIENT } });
    expect((await offered("off")).tools).toEqual(["on__x"]);
    expect((await send("off", { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(404);
    const without = withServers({ on: { url: "https://mcp.example.com/", enabled: false } });
    const quiet = await offered("off", without);
    expect([quiet.tools, quiet.warnings]).toEqual([[], []]);
  });

  it("is stored with its fields, and rejected with unknown ones", async () => {
    const entry = { url: "https://mcp.example.com/", enabled: false, prefix: "never", allow: ["get_*"] };
    const put = await call("PUT", "/api/v1/mcp-servers/kept", { json: entry });
    expect(await put.json()).toMatchObject(entry);
    expect((await call("PUT", "/api/v1/mcp-servers/kept", { json: { ...entry, prefix: "mostly" } })).status).toBe(400);
  });
});
