// Log messages of servers during a call: the calling host receives them under the server's name, from the level that it requested.

import type { Client } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import { type Era, host } from "../support/mcp-client";
import { gatewayServers } from "../support/servers";
import { forget, scripted } from "../support/upstream";

const LEVEL = "io.modelcontextprotocol/logLevel";

const message = (params: object) =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params })}\n\n`;
const DONE = `data: {"jsonrpc":"2.0","id":@id,"result":{"content":[{"type":"text","text":"well"}]}}\n\n`;

/** Creates a server whose one tool logs these messages while it runs. */
async function logging(name: string, ...logged: object[]) {
  const headers = { "content-type": "text/event-stream" };
  const body = [...logged.map(message), DONE];
  return { url: await scripted(name, { "tools/call": { headers, body } }), timeout: 60, connect_timeout: 60 };
}

/** Connects a host and returns the log messages that it receives. */
async function listening(path: string, user: string, era: Era = "legacy", capabilities: object = {}) {
  const client = await host(path, user, era, { capabilities });
  const heard: { level: string; logger?: string; data: unknown }[] = [];
  client.setNotificationHandler("notifications/message", ({ params: { level, logger, data } }) => {
    heard.push({ level, ...(logger === undefined ? {} : { logger }), data });
  });
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  await expect.poll(names, { timeout: 20_000 }).toContain("chatty__echo");
  return { client, heard };
}

async function echo(client: Client, more: object = {}) {
  const { content } = await client.callTool({ name: "chatty__echo", arguments: {}, ...more });
  expect(content).toEqual([{ type: "text", text: "well" }]);
}

beforeEach(async () => {
  await forget();
  await gatewayServers({
    chatty: await logging(
      "chatty",
      { level: "debug", data: "looks" },
      { level: "info", logger: "db", data: { rows: 3 } },
      { level: "error", data: ["broken"] },
    ),
  });
});

const INFO = { level: "info", logger: "chatty/db", data: { rows: 3 } };
const ERROR = { level: "error", logger: "chatty", data: ["broken"] };

describe("a host of 2025", () => {
  it("receives nothing until it sets a level, then that level and above, in order and before the result", async () => {
    const { client, heard } = await listening("/mcp/logs", "logs");
    await echo(client);
    expect(heard).toEqual([]);
    await client.setLoggingLevel("info");
    await echo(client);
    expect(heard.splice(0)).toEqual([INFO, ERROR]);
    await client.setLoggingLevel("debug");
    await echo(client);
    expect(heard.splice(0)).toEqual([{ level: "debug", logger: "chatty", data: "looks" }, INFO, ERROR]);
    await client.setLoggingLevel("emergency");
    await echo(client);
    expect(heard).toEqual([]);
  });

  it.each([
    ["that can be asked", { roots: {} }, {}],
    ["that wants progress", {}, { onprogress: () => undefined }],
  ])("%s receives it while the call runs", async (what, capabilities, options) => {
    const user = `logs-${what.length}`;
    const { client, heard } = await listening(`/mcp/${user}`, user, "legacy", capabilities);
    await client.setLoggingLevel("error");
    await client.callTool({ name: "chatty__echo", arguments: {} }, options);
    expect(heard).toEqual([ERROR]);
  });

  it("receives nothing for the level of another conversation or user", async () => {
    const one = await listening("/mcp/loud", "loud");
    await one.client.setLoggingLevel("debug");
    for (const [path, user] of [
      ["/mcp/quiet", "loud"],
      ["/mcp/loud", "quiet"],
    ] as const) {
      const other = await listening(path, user);
      await echo(other.client);
      expect(other.heard).toEqual([]);
    }
    expect(one.heard).toEqual([]);
  });

  it("is refused a level that MCP does not have", async () => {
    const { client } = await listening("/mcp/levels", "levels");
    const wrong = client.request({ method: "logging/setLevel", params: { level: "loud" as "info" } });
    await expect(wrong).rejects.toThrow();
  });
});

describe("a host of 2026", () => {
  it("receives the requested level of each call, and nothing for calls without one", async () => {
    const { client, heard } = await listening("/mcp/modern-logs", "modern-logs", "modern");
    await echo(client);
    expect(heard).toEqual([]);
    await echo(client, { _meta: { [LEVEL]: "error" } });
    expect(heard.splice(0)).toEqual([ERROR]);
    await echo(client);
    expect(heard).toEqual([]);
  });
});

it("passes on at most the limit of log messages per call, and cuts long ones", { tags: ["slow"] }, async () => {
  const many = Array.from({ length: 300 }, (_, n) => ({ level: "info", logger: "x".repeat(500), data: n }));
  await gatewayServers({ chatty: await logging("flood", { level: "info", data: "a".repeat(100_000) }, ...many) });
  const { client, heard } = await listening("/mcp/flood", "flood", "modern");
  await echo(client, { _meta: { [LEVEL]: "debug" } });
  expect(heard).toHaveLength(200);
  expect(JSON.stringify(heard[0]).length).toBeLessThan(9_000);
  expect(heard[1]?.logger).toBe(`chatty/${"x".repeat(100)}`);
});
