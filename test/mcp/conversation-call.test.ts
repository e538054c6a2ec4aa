// Running tool calls of MCP hosts in a conversation: cancellation, and the messages in their streams.

import { beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/call";
import { publishPublic } from "../support/chat-turns";
import { type Era, host, post } from "../support/mcp-client";
import { providerSkill } from "../support/provider";
import { messages } from "../support/proxy";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
};

/** One request of an era, as sent by a host. */
function speak(era: Era, path: string, user: string, id: number, method: string, params: { name?: string }) {
  if (era === "legacy") return post(path, user, { jsonrpc: "2.0", id, method, params });
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(params.name === undefined ? {} : { "mcp-name": params.name }),
  };
  return post(path, user, { jsonrpc: "2.0", id, method, params: { ...params, _meta: META } }, headers);
}

const callOf = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });

beforeAll(async () => {
  await publishPublic(providerSkill("patient", { wait: "return await context.request('confirm', {})" }));
});

/** Pending requests to a page, in a conversation of this user. */
async function pending(user: string, conversation: string): Promise<{ state: string }[]> {
  const answer = await call("GET", `/api/v1/conversations/${conversation}/requests?state=pending`, { as: user });
  return (await answer.json<{ items: { state: string }[] }>()).items;
}

describe.each<Era>(["legacy", "modern"])("a call that runs, %s era", (era) => {
  it("is called off when its stream is closed", async () => {
    const user = `gone-${era}`;
    const path = "/mcp/gone?tool_mode=dynamic";
    await (await speak(era, path, user, 1, "tools/call", callOf("load_skill", { skill_name: "patient" }))).text();
    const answer = await speak(era, path, user, 2, "tools/call", callOf("wait", {}));
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    await expect.poll(async () => (await pending(user, "gone")).length, { timeout: 20_000 }).toBe(1);
    await answer.body?.cancel();
    await expect.poll(async () => (await pending(user, "gone")).length, { timeout: 20_000 }).toBe(0);
  });

  it("does not report a changed list of tools, unless the era sends it in a call's stream", async () => {
    const load = callOf("load_skill", { skill_name: "patient" });
    const stream = await speak(era, "/mcp/told?tool_mode=dynamic", `told-${era}`, 7, "tools/call", load);
    const methods = (await messages(stream)).map((message) => message.method ?? "answer");
    expect(methods).toEqual(era === "legacy" ? ["notifications/tools/list_changed", "answer"] : ["answer"]);
  });
});

describe("a legacy host", () => {
  it("cancels by its request's id, and only its own call", async () => {
    const user = "canceller";
    for (const conversation of ["one", "two"]) {
      const client = await host(`/mcp/${conversation}?tool_mode=dynamic`, user);
      await client.callTool(callOf("load_skill", { skill_name: "patient" }));
      await client.close();
    }
    const running = ["one", "two"].map((conversation) =>
      post(`/mcp/${conversation}`, user, {
        jsonrpc: "2.0",
        id: 5,
        method: "tools/call",
        params: callOf("wait", {}),
      }),
    );
    for (const conversation of ["one", "two"])
      await expect.poll(async () => (await pending(user, conversation)).length, { timeout: 20_000 }).toBe(1);
    const cancel = (requestId: number) =>
      post("/mcp/one", user, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    expect((await cancel(6)).status).toBe(202);
    expect((await cancel(5)).status).toBe(202);
    await expect.poll(async () => (await pending(user, "one")).length, { timeout: 20_000 }).toBe(0);
    expect((await pending(user, "two")).length).toBe(1);
    const [first, second] = await Promise.all(running);
    expect(await messages(first!)).toMatchObject([{ id: 5, result: { isError: true } }]);
    await second?.body?.cancel();
  });

  it("makes no conversation by a cancellation", async () => {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await post("/mcp/never-made", "canceller", cancelled)).status).toBe(202);
    expect((await call("GET", "/api/v1/conversations/never-made", { as: "canceller" })).status).toBe(404);
  });
});

it("gives a host the instructions of skills that a conversation carries in messages", async () => {
  const user = "messenger";
  const made = await call("PUT", "/api/v1/conversations/said", { as: user, json: { delivery: "message" } });
  expect(made.status).toBe(201);
  const loaded = { calls: [{ id: "a", name: "load_skill", arguments: { skill_name: "patient" } }] };
  expect((await call("POST", "/api/v1/conversations/said/tool-calls", { as: user, json: loaded })).status).toBe(200);
  const client = await host("/mcp/said", user);
  const answer = await client.callTool(callOf("load_skill", { skill_name: "patient" }));
  expect(answer.content).toMatchObject([{ text: expect.stringContaining("## Skill: patient") }]);
  await client.close();
});
