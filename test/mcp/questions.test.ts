// Questions of an upstream server during a host's call: only that host receives them, and only if it declared the capability.

import type { Client } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import { call } from "../support/call";
import { type Era, host, post } from "../support/mcp-client";
import { Page } from "../support/page";
import { messages } from "../support/proxy";
import { gatewayServers } from "../support/servers";
import { faults, forget, seen } from "../support/upstream";

const ERAS: Era[] = ["legacy", "modern"];
const PAIRS = ERAS.flatMap((one) => ERAS.map((other): [Era, Era] => [one, other]));
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const FORM = {
  method: "elicitation/create",
  params: { message: "Where to?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } },
};
const SAMPLE = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "Hi" } }], maxTokens: 5 },
};
const ROOTS = { method: "roots/list" };
const SAID = {
  role: "assistant",
  content: { type: "text", text: "Hello" },
  model: "m",
  stopReason: "endTurn",
} as const;
const CITY = { action: "accept", content: { city: "Ulm" } } as const;

beforeEach(async () => {
  await forget();
  await gatewayServers(Object.fromEntries(ERAS.map((era) => [era, { url: `${faults}/asking-${era}/none` }])));
});

/** Connects a host that supports every question and records the questions that it receives. */
async function asked(path: string, user: string, era: Era, capabilities: object = ALL) {
  const heard: { method: string; message?: string }[] = [];
  const client = await host(path, user, era, { capabilities });
  // Servers connect with the first list, which waits only briefly for them.
  const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
  await expect
    .poll(listed, { timeout: 20_000 })
    .toEqual(expect.arrayContaining(ERAS.map((server) => `${server}__ask`)));
  if ("elicitation" in capabilities)
    client.setRequestHandler("elicitation/create", async ({ method, params }) => {
      heard.push({ method, message: params.message });
      return CITY;
    });
  if ("sampling" in capabilities)
    client.setRequestHandler("sampling/createMessage", async ({ method }) => {
      heard.push({ method });
      return SAID;
    });
  if ("roots" in capabilities)
    client.setRequestHandler("roots/list", async ({ method }) => {
      heard.push({ method });
      return { roots: [{ uri: "file:///home" }] };
    });
  return { client, heard };
}

async function textOf(client: Client, server: Era, ...rounds: object[]): Promise<string> {
  const result = await client.callTool({ name: `${server}__ask`, arguments: { rounds } });
  return (result.content as { text?: string }[]).map(({ text }) => text).join("\n");
}

const callsOf = async (era: Era) =>
  (await seen(`/asking-${era}/none`)).filter(({ method }) => method === "tools/call").length;

describe.each(PAIRS)("a host of the %s era and a server of the %s era", (era, server) => {
  it("pass on questions and answers, with the name of the server", async () => {
    const { client, heard } = await asked("/mcp/passed", `passed-${era}-${server}`, era);
    const text = await textOf(client, server, { where: FORM, say: SAMPLE }, { there: ROOTS });
    expect(JSON.parse(text)).toEqual([
      { where: CITY, say: expect.objectContaining(SAID) },
      { there: expect.objectContaining({ roots: [{ uri: "file:///home" }] }) },
    ]);
    expect(heard).toHaveLength(3);
    expect(heard).toContainEqual({
      method: "elicitation/create",
      message: `${server} (${new URL(faults).host}): Where to?`,
    });
    await client.close();
  });

  it("are sent to a page if the host does not support them, and rejected if neither can answer", async () => {
    const user = `page-${era}-${server}`;
    const { client, heard } = await asked("/mcp/page", user, era, { sampling: {} });
    const page = await Page.greeted("page", { as: user });
    const called = textOf(client, server, { where: FORM, say: SAMPLE });
    const { request_id } = await page.next("skill:request");
    page.answer(request_id, { success: true, result: CITY });
    expect(JSON.parse(await called)).toEqual([{ where: CITY, say: expect.objectContaining(SAID) }]);
    expect(heard).toEqual([{ method: "sampling/createMessage" }]);
    const refused = await textOf(client, server, { there: ROOTS });
    expect(refused).toMatch(/-32601|not supported here/);
    expect(refused).toContain("Use an MCP host that declares 'roots'.");
    await client.close();
  });

  it("ask the host about no credential", async () => {
    const { client, heard } = await asked("/mcp/secret", `secret-${era}-${server}`, era);
    const properties = { password: { type: "string" } };
    const secret = {
      method: "elicitation/create",
      params: { message: "?", requestedSchema: { type: "object", properties } },
    };
    expect(await textOf(client, server, { who: secret })).toContain('"action":"decline"');
    expect(heard).toEqual([]);
    await client.close();
  });
});

const META = (clientCapabilities: object) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": clientCapabilities,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
});

interface Required {
  resultType: string;
  inputRequests: Record<string, { method: string; params: { message: string } }>;
  requestState: string;
  content: { text: string }[];
}

/** A call as a 2026 host sends it. */
async function send(user: string, server: Era, rounds: object[], more: object = {}) {
  const params = { name: `${server}__ask`, arguments: { rounds }, _meta: META(ALL), ...more };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": params.name };
  const [answer] = (
    await messages(await post("/mcp/wire", user, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, headers))
  ).slice(-1);
  return answer as unknown as { result: Required; error?: { code: number } };
}

describe("input_required", () => {
  it("contains the server's own keys, asks again for missing answers, and accepts only its own state", async () => {
    const user = "wire";
    const rounds = [{ a: FORM, b: FORM }];
    const { result } = await send(user, "modern", rounds);
    expect(result.resultType).toBe("input_required");
    expect(Object.keys(result.inputRequests)).toEqual(["a", "b"]);
    const { requestState } = result;
    const half = await send(user, "modern", rounds, { requestState, inputResponses: { a: CITY } });
    expect(Object.keys(half.result.inputRequests)).toEqual(["b"]);
    const forged = [requestState.replace(/.(?=\.)/, (last) => (last === "0" ? "1" : "0")), `${requestState}x`, "1"];
    for (const state of forged) {
      const other = { requestState: state, inputResponses: { b: CITY } };
      expect((await send(user, "modern", rounds, other)).error?.code).toBe(-32602);
    }
    const crooked = { requestState, inputResponses: { b: "Ulm" } };
    expect(Object.keys((await send(user, "modern", rounds, crooked)).result.inputRequests)).toEqual(["b"]);
    const changed = { requestState, inputResponses: { b: CITY } };
    expect((await send(user, "modern", [{ a: FORM }], changed)).error?.code).toBe(-32602);
    expect((await send("mallory-of-the-wire", "modern", rounds, changed)).error?.code).toBe(-32602);
    const done = await send(user, "modern", rounds, changed);
    expect(JSON.parse(done.result.content[0]!.text)).toEqual([{ a: CITY, b: CITY }]);
    expect(await callsOf("modern")).toBe(2);
    // Repeating an answer returns the same result without another call.
    const again = await send(user, "modern", rounds, changed);
    expect(JSON.parse(again.result.content[0]!.text)).toEqual([{ a: CITY, b: CITY }]);
    expect(await callsOf("modern")).toBe(2);
  });

  it("accepts an answer only in its round, even if the server uses a key again", async () => {
    const user = "rounds";
    const rounds = [{ a: FORM }, { a: FORM }];
    const { requestState: first } = (await send(user, "modern", rounds)).result;
    const ulm = { requestState: first, inputResponses: { a: CITY } };
    const { requestState: second } = (await send(user, "modern", rounds, ulm)).result;
    expect(second).not.toBe(first);
    // A host that repeats the request after a lost response has not answered a question that it did not see.
    expect((await send(user, "modern", rounds, ulm)).result).toMatchObject({
      resultType: "input_required",
      requestState: second,
    });
    const bonn = { action: "decline" };
    const done = await send(user, "modern", rounds, { requestState: second, inputResponses: { a: bonn } });
    expect(JSON.parse(done.result.content[0]!.text)).toEqual([{ a: CITY }, { a: bonn }]);
  });
});

describe("an answer in a stream of 2025", () => {
  it("counts only from the asked user, and once", async () => {
    const { client, heard } = await asked("/mcp/once", "once", "legacy");
    await textOf(client, "legacy", { a: FORM });
    expect(heard).toHaveLength(1);
    const late = await post("/mcp/once", "once", { jsonrpc: "2.0", id: crypto.randomUUID(), result: CITY });
    expect(late.status).toBe(202);
    expect((await call("GET", "/api/v1/conversations/once/requests", { as: "once" })).status).toBe(200);
    await client.close();
  });
});
