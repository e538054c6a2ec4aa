// A server that reports changed resources or prompts during a call: hosts of the conversation are notified and list again.

import { beforeEach, expect, it } from "vitest";
import { answering } from "../support/listing";
import { host } from "../support/mcp-client";
import { gatewayServers } from "../support/servers";
import { forget, scripted } from "../support/upstream";

const CAPABILITIES = { tools: {}, resources: { listChanged: true }, prompts: { listChanged: true } };
const HELLO = answering({
  protocolVersion: "2025-11-25",
  capabilities: CAPABILITIES,
  serverInfo: { name: "shop", version: "1" },
});
const NEWS = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/list_changed" })}\n\n`;
const DONE = `data: {"jsonrpc":"2.0","id":@id,"result":{"content":[{"type":"text","text":"well"}]}}\n\n`;

/** Creates a server with these resources and a tool that reports changes. */
async function shop(...wares: string[]) {
  const url = await scripted("shop", {
    initialize: HELLO,
    "resources/list": answering({ resources: wares.map((name) => ({ uri: `ware://${name}`, name })) }),
    "resources/templates/list": answering({ resourceTemplates: [] }),
    "prompts/list": answering({ prompts: [] }),
    "tools/call": { headers: { "content-type": "text/event-stream" }, body: [NEWS, DONE] },
  });
  await gatewayServers({ shop: { url, timeout: 60, connect_timeout: 60 } });
}

const LISTS = ["notifications/resources/list_changed", "notifications/prompts/list_changed"] as const;

beforeEach(forget);

it("a 2025 host receives it in the stream of its call, once, and then has the new list", async () => {
  await shop("old");
  const client = await host("/mcp/shop", "shopper");
  const heard: string[] = [];
  for (const method of LISTS) client.setNotificationHandler(method, () => void heard.push(method));
  const wares = async () => (await client.listResources()).resources.map(({ uri }) => uri);
  await expect.poll(wares, { timeout: 20_000 }).toContain("ware://old");
  await shop("new");
  // The list is cached for a while.
  expect(await wares()).toContain("ware://old");
  await client.callTool({ name: "shop__echo", arguments: {} });
  expect(heard.splice(0)).toEqual(LISTS);
  await expect.poll(wares, { timeout: 20_000 }).toContain("ware://new");
  await client.callTool({ name: "read_skill", arguments: { skill_name: "none" } });
  expect(heard).toEqual([]);
});

it("a listening 2026 host receives it for any caller, and one of another conversation does not", async () => {
  await shop("old");
  const listening = async (path: string) => {
    const lists: string[][] = [];
    const onChanged = (_: unknown, found: { uri: string }[] | null) => {
      lists.push((found ?? []).map(({ uri }) => uri));
    };
    const client = await host(path, "watcher", "modern", { listChanged: { resources: { onChanged, debounceMs: 0 } } });
    await expect
      .poll(async () => (await client.listResources()).resources.map(({ uri }) => uri), { timeout: 20_000 })
      .toContain("ware://old");
    return { client, lists };
  };
  const one = await listening("/mcp/watched");
  const other = await listening("/mcp/elsewhere");
  await shop("new");
  const caller = await host("/mcp/watched", "watcher");
  await caller.callTool({ name: "shop__echo", arguments: {} });
  await expect.poll(() => one.lists.at(-1), { timeout: 20_000 }).toContain("ware://new");
  expect(other.lists).toEqual([]);
  await Promise.all([one, other].map(({ client }) => client.close()));
});
