// Servers of type `websocket`: calls, headers, limits, and connections that end.

import { describe, expect, it } from "vitest";
import { makeRedactor } from "../../src/domain/servers/redactor";
import { textOf } from "../../src/domain/tool";
import { call, keyFor } from "../support/call";
import { INITIALIZE, send } from "../support/proxy";
import { expectNoConnections, faults, upstream } from "../support/upstream";

const slow = { type: "websocket" as const, connectMs: 30_000, callMs: 30_000 };
const at = (fault: string) => `${faults}/socket/${fault}`;

describe("a server", () => {
  it("is listed and called in parallel, with headers and progress, and its connection ends", async () => {
    const headers = { authorization: "Bearer socket-key", "Sec-WebSocket-Protocol": "of-the-entry" };
    const one = upstream(at("well"), { ...slow, headers });
    expect((await one.list()).tools.map(({ name }) => name)).toEqual(["echo", "headers"]);
    const progress: number[] = [];
    const onProgress = (seen: { progress: number }) => void progress.push(seen.progress);
    const results = await Promise.all([
      one.call("echo", { message: "a" }, { onProgress }),
      one.call("echo", { message: "b" }),
      one.call("headers", {}),
    ]);
    expect(results.slice(0, 2).map(textOf)).toEqual(["Echo: a", "Echo: b"]);
    expect(textOf(results[2]!)).toContain('"authorization":"Bearer socket-key"');
    expect(textOf(results[2]!)).toContain('"sec-websocket-protocol":"mcp"');
    expect(progress).toEqual([1]);
    await expectNoConnections();
  });

  it("returns no secret that it received", async () => {
    const redactor = makeRedactor([{ name: "KEY", value: "socket-secret-value" }]);
    const one = upstream(at("well"), { ...slow, headers: { "x-key": "socket-secret-value" }, redactor });
    expect(textOf(await one.call("headers", {}))).not.toContain("socket-secret-value");
  });

  it.each([
    ["drop", "the server"],
    ["binary", "binary message"],
    ["text", "not a JSON-RPC message"],
    ["large", "too large"],
    ["s500", "HTTP 500"],
    ["s429", "retry after 7s"],
  ])("that answers '%s' fails with the reason, and holds no connection", async (fault, reason) => {
    const result = await upstream(at(fault), slow).call("echo", { message: "x" });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(reason)]);
    await expectNoConnections();
  });

  it("that does not answer ends with the deadline of the call", async () => {
    const result = await upstream(at("hang"), { ...slow, callMs: 200 }).call("echo", {});
    expect(textOf(result)).toContain("timed out");
    await expectNoConnections();
  });

  it("is subject to the host policy, and follows no redirect", async () => {
    const result = await upstream("https://10.0.0.1/socket", slow).call("echo", {});
    expect(textOf(result)).toContain("an IP address is not allowed");
    expect(textOf(await upstream(at("s307"), slow).call("echo", {}))).toContain("HTTP 307");
  });
});

describe("an entry", () => {
  const put = (json: Record<string, unknown>) => call("PUT", "/api/v1/mcp-servers/sock", { json });

  it("has an address with ws or http, and its server is used in a conversation and tested", async () => {
    for (const url of [at("well"), at("well").replace(/^http/, "ws")]) {
      expect((await put({ type: "websocket", url })).ok).toBe(true);
      const test = await call("POST", "/api/v1/mcp-servers/sock/test");
      expect(await test.json()).toMatchObject({ reachable: true, era: "legacy", server: { name: "socket" } });
    }
    const key = await keyFor("socket-user");
    const post = (path: string, json: object) =>
      call("POST", `/api/v1/conversations/socket-talk${path}`, { key, json });
    await post("/turns", { conversation: {} });
    const calls = [{ id: "c1", name: "sock__echo", arguments: { message: "hello" } }];
    await expect.poll(async () => (await post("/turns", {})).text(), { timeout: 30_000 }).toContain("sock__echo");
    expect(await (await post("/tool-calls", { calls })).text()).toContain("Echo: hello");
  });

  it.each([
    [
      "it has several addresses",
      {
        type: "websocket",
        url: "wss://a.example.com/",
        urls: [{ url: "wss://a.example.com/" }, { url: "wss://b.example.com/" }],
      },
    ],
    ["its host is a variable", { type: "websocket", url: ["wss://$", "{{user.id}}.example.com/"].join("") }],
  ])("is rejected if %s", async (_, entry) => {
    expect((await put(entry)).status).toBe(400);
  });

  it("is not passed through the proxy and not in the registry", async () => {
    await put({ type: "websocket", url: at("well"), public: true });
    const answer = await send("sock", INITIALIZE);
    expect([answer.status, await answer.text()]).toEqual([501, expect.stringContaining("WebSocket")]);
    const listed = await call("GET", "/mcp/registry/v0.1/servers", { key: null });
    expect(await listed.text()).not.toContain("/sock");
  });
});
