// Notification of hosts about a changed tool list: protocol version 2026 on a stream that the Worker holds open, version 2025 in the host's
// own calls.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DURATIONS } from "../../src/domain/durations";
import { QUESTION_LIMITS } from "../../src/domain/questions/limits";
import { call } from "../support/call";
import { publishPublic } from "../support/chat-turns";
import { evict } from "../support/clock";
import { host, post } from "../support/mcp-client";
import { providerSkill } from "../support/provider";
import { messages } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import { faults } from "../support/upstream";

const usual = { ...DURATIONS };
const PATIENT = { timeout: 20_000 };

beforeEach(() => gatewayServers({}));
afterEach(() => void Object.assign(DURATIONS, usual));

const load = (name: string) => ({ name: "load_skill", arguments: { skill_name: name } });

/** Connects a host of the later protocol version that lists again after a notification. */
async function listening(path: string, user: string) {
  const lists: string[][] = [];
  const onChanged = (_: Error | null, tools: { name: string }[] | null) => {
    lists.push((tools ?? []).map(({ name }) => name));
  };
  const client = await host(path, user, "modern", { listChanged: { tools: { onChanged, debounceMs: 0 } } });
  await client.listTools();
  return { client, lists };
}

const LISTEN = {
  jsonrpc: "2.0",
  id: "heard",
  method: "subscriptions/listen",
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    },
  },
};
const listen = (path: string, user: string) =>
  post(path, user, LISTEN, { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" });

describe("a host of the modern era", () => {
  it("receives tools of a skill that another chat loaded, also after the object hibernated", async () => {
    await publishPublic(providerSkill("bringer", { brought: "return 'here'" }));
    const path = "/mcp/heard?tool_mode=dynamic";
    const { client, lists } = await listening(path, "hearer");
    const other = await host(path, "hearer");
    await other.callTool(load("bringer"));
    await expect.poll(() => lists.at(-1), PATIENT).toContain("brought");
    await evict("heard", "hibernate", "hearer");
    await other.callTool({ name: "unload_skill", arguments: { skill_name: "bringer" } });
    await expect.poll(() => lists.at(-1), PATIENT).not.toContain("brought");
    expect(lists).toHaveLength(2);
    await Promise.all([client.close(), other.close()]);
  });

  it("receives tools of a server that connected after it read its list", async () => {
    Object.assign(DURATIONS, { patience: 0, patienceList: 0 });
    await gatewayServers({ well: { url: `${faults}/ok/none` } });
    await publishPublic(providerSkill("waiter", { waited: "return 'here'" }));
    const { client, lists } = await listening("/mcp/late", "late-hearer");
    await expect.poll(() => lists.at(-1), PATIENT).toContain("well__echo");
    await client.close();
  });

  it("gets the end of its stream when its conversation is deleted", async () => {
    const stream = await listen("/mcp/ending", "ender");
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    expect((await call("DELETE", "/api/v1/conversations/ending", { as: "ender" })).status).toBe(204);
    const said = await messages(stream);
    expect(said[0]).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    expect(said.at(-1)).toMatchObject({ id: "heard", result: {} });
  });

  it("is one of few that listen, and makes room when it goes", async () => {
    const streams: Response[] = [];
    for (let n = 0; n < QUESTION_LIMITS.listeners; n++) streams.push(await listen("/mcp/full", "crowd"));
    const refused = await listen("/mcp/full", "crowd");
    expect(await refused.text()).toContain("TOO_MANY_LISTENERS");
    await streams[0]?.body?.cancel();
    await expect
      .poll(async () => (await listen("/mcp/full", "crowd")).headers.get("content-type"), PATIENT)
      .toContain("text/event-stream");
    await Promise.all(streams.slice(1).map((stream) => stream.body?.cancel()));
  });
});

it("a host of the legacy era receives in its next call what changed since its list", async () => {
  Object.assign(DURATIONS, { patience: 0, patienceList: 0 });
  await gatewayServers({ well: { url: `${faults}/ok/none` } });
  await publishPublic(providerSkill("reader", { readable: "return 'here'" }));
  const client = await host("/mcp/between", "between");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("well__echo");
  const methods = async () => {
    const params = { name: "read_skill", arguments: { skill_name: "reader" } };
    const stream = await post("/mcp/between", "between", { jsonrpc: "2.0", id: 7, method: "tools/call", params });
    return (await messages(stream)).map((message) => message.method ?? "answer");
  };
  await expect.poll(methods, PATIENT).toEqual(["notifications/tools/list_changed", "answer"]);
  expect(await methods()).toEqual(["answer"]);
  await client.close();
});
