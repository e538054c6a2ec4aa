// A conversation with too many server tools for a list: the model searches tools and calls the ones it found.

import { beforeEach, describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/domain/tokens";
import { call, keyFor } from "../support/call";
import { connectedTurn, publishOwn, type Result, type Step, type Talk, talk, textOf } from "../support/chat-turns";
import { manyServers } from "../support/many-tools/servers";
import { host } from "../support/mcp-client";
import { gatewayServers, withServers } from "../support/servers";
import { forget, seen } from "../support/upstream";

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

/** Returns the names of the found tools, in order. */
async function find(chat: Talk, query: string): Promise<string[]> {
  return namesIn(textOf(await chat.use("find_tool", { query })));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(/^\{"name":"([^"]+)"/gm)].map(([, name]) => name ?? "");
}

function callIt(chat: Talk, name: string, args: object = {}): Promise<Result> {
  return chat.use("call_skill_tool", { name, arguments: args });
}

/** Returns the tool calls that a server received. */
async function called(server: string): Promise<unknown[]> {
  const requests = await seen(`/scripted/many-${server}`);
  return requests.filter(({ method }) => method === "tools/call").map(({ body }) => JSON.parse(body).params);
}

/** Changes the gateway's servers through the API, as an admin does while conversations are running. */
async function change(entries: Record<string, object | null>): Promise<void> {
  for (const [name, entry] of Object.entries(entries)) {
    const how = entry === null ? {} : { json: entry };
    const answer = await call(entry === null ? "DELETE" : "PUT", `/api/v1/mcp-servers/${name}`, how);
    expect(answer.ok).toBe(true);
  }
}

const own = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);

describe("150 tools of ten servers", () => {
  it.each([
    ["where instructions go into the prompt", {}],
    ["under `auto`", { delivery: "auto" }],
    ["where the list of tools is fixed", { tool_mode: "fixed" }],
  ])("are found and called %s", async (_, settings) => {
    await gatewayServers(await manyServers());
    const chat = await talk("many", settings);
    const { tools } = await connectedTurn(chat);
    expect(own(tools).filter((name) => name.includes("__"))).toEqual([]);
    expect(own(tools)).toEqual(expect.arrayContaining(["find_tool", "call_skill_tool"]));
    expect(estimateTokens(JSON.stringify(tools))).toBeLessThanOrEqual(1_500);
    expect(await find(chat, "Refund a customer's payment")).toContain("billing__refund_payment");
    expect(textOf(await callIt(chat, "billing__refund_payment", { payment: "p-1" }))).toBe("well");
    expect(await called("billing")).toMatchObject([{ name: "refund_payment", arguments: { payment: "p-1" } }]);
  });

  it("are returned with their whole schema, and the answer explains how to call them", async () => {
    await gatewayServers(await manyServers());
    const chat = await talk("whole");
    await connectedTurn(chat);
    const [line = ""] =
      textOf(await chat.use("find_tool", { query: "who is on call" })).match(/^\{.*get_on_call.*$/m) ?? [];
    expect(JSON.parse(line)).toMatchObject({
      name: "monitor__get_on_call",
      server: "monitor",
      inputSchema: { properties: { team: { type: "string" } }, required: ["team"] },
    });
    expect(textOf(await chat.use("find_tool", { query: "xyzzy </skill>" }))).toMatch(
      /^No tool matches 'xyzzy (?!<\/skill>)/,
    );
  });

  it("are listed where the conversation is set so, and few are found where it is set so", async () => {
    await gatewayServers(await manyServers());
    const all = await talk("lister", { tool_list: "list" });
    expect(own((await connectedTurn(all)).tools).filter((name) => name.includes("__"))).toHaveLength(150);
    expect((await all.calls({ id: "f", name: "find_tool", arguments: { query: "x" } })).unhandled).toHaveLength(1);
    await gatewayServers(await manyServers(1));
    const few = await talk("searcher", { tool_list: "search" });
    expect(own((await connectedTurn(few)).tools)).toEqual(["find_tool", "call_skill_tool"]);
  });
});

describe("call_skill_tool", () => {
  it("validates arguments against the schema of the called tool, before its server receives them", async () => {
    await gatewayServers(await manyServers());
    const chat = await talk("unfit");
    await connectedTurn(chat);
    const unfit = await callIt(chat, "monitor__silence_alert", { matcher: 5, minutes: "30" });
    expect([unfit.isError, textOf(unfit)]).toEqual([
      true,
      expect.stringMatching(
        /'monitor__silence_alert' do not fit[\s\S]*'comment' is missing[\s\S]*'minutes' must be an integer/,
      ),
    ]);
    expect(await called("monitor")).toEqual([]);
  });

  it("calls nothing that the conversation does not have, nor the gateway's own tools", async () => {
    const entries = await manyServers();
    const { billing, ...others } = entries;
    await gatewayServers(others);
    // Another conversation has the server through its ghost.
    const rich = await talk("rich", withServers({ billing }));
    await connectedTurn(rich);
    expect(await find(rich, "refund payment")).toContain("billing__refund_payment");
    const poor = await talk("poor");
    await connectedTurn(poor);
    expect(await find(poor, "refund payment")).not.toContain("billing__refund_payment");
    for (const name of ["billing__refund_payment", "load_skill", "find_tool", "nothing"]) {
      const refused = await callIt(poor, name, { payment: "p-1" });
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining(`Tool '${name}' not found`)]);
    }
    expect(await called("billing")).toEqual([]);
  });

  it("calls no tool of a server that has left since it was found, and no search finds it", async () => {
    await gatewayServers(await manyServers());
    const chat = await talk("left");
    await connectedTurn(chat);
    expect(await find(chat, "refund payment")).toContain("billing__refund_payment");
    await change({ billing: null });
    expect(await find(chat, "refund payment")).not.toContain("billing__refund_payment");
    expect((await callIt(chat, "billing__refund_payment", { payment: "p-1" })).isError).toBe(true);
    expect(await called("billing")).toEqual([]);
  });
});

/** The part of a request that the provider caches before the history. */
const prefix = ({ tools, prompt }: Step) => JSON.stringify([tools, prompt]);

describe("the prompt and the list of tools stay as they are in mid-conversation", () => {
  it.each([{}, { delivery: "auto" }])("whatever is found, called and added: %j", async (settings) => {
    await gatewayServers(await manyServers(9));
    const chat = await talk("steady", settings);
    const first = prefix(await connectedTurn(chat));
    await find(chat, "refund payment");
    await callIt(chat, "code__get_commit", { repo: "a", sha: "b" });
    const { team = {} } = await manyServers();
    await change({ team });
    expect(prefix(await connectedTurn(chat))).toBe(first);
    expect(await find(chat, "schedule a message for later")).toContain("team__schedule_message");
  });

  it("until its provider has forgotten it: then it is decided anew", async () => {
    await gatewayServers(await manyServers(3));
    const chat = await talk("cold");
    await connectedTurn(chat);
    await change({ calendar: null });
    expect(own((await connectedTurn(chat)).tools)).toContain("find_tool");
    expect(own((await chat.turn({ cache: "cold" })).tools).filter((name) => name.includes("__"))).toHaveLength(30);
  });

  it("a server that joins a list changes it in any case, so it may be too many then", async () => {
    await gatewayServers(await manyServers(2));
    const chat = await talk("grows");
    expect(own((await connectedTurn(chat)).tools)).toHaveLength(30);
    const { calendar = {} } = await manyServers(3);
    await change({ calendar });
    expect(own((await connectedTurn(chat)).tools)).toEqual(["find_tool", "call_skill_tool"]);
  });
});

it("a user's own server stays in the front of the prompt under `auto`", async () => {
  const { billing } = await manyServers();
  const key = await keyFor("own-front");
  expect((await call("PUT", "/api/v1/servers/billing", { key, json: billing ?? {} })).status).toBe(201);
  const chat = await talk({ key }, { delivery: "auto" });
  const first = own((await connectedTurn(chat)).tools);
  expect(first).toContain("billing__refund_payment");
  expect(own((await chat.turn()).tools)).toEqual(first);
});

describe("an MCP host", () => {
  it.each(["legacy", "modern"] as const)("finds them and calls them in its conversation, %s era", async (era) => {
    await gatewayServers(await manyServers());
    const user = `finder-${era}`;
    await publishOwn(await keyFor(user), { name: "wiki" });
    const client = await host(`/mcp/many-${era}`, user, era);
    // The list can differ until all servers are connected.
    await expect.poll(async () => own((await client.listTools()).tools)).not.toContain("team__pin_message");
    await expect.poll(async () => own((await client.listTools()).tools), { timeout: 20_000 }).toContain("find_tool");
    const { tools } = await client.listTools();
    expect(own(tools).filter((name) => name.includes("__"))).toEqual([]);
    expect(tools.find(({ name }) => name === "find_tool")?.annotations).toMatchObject({ readOnlyHint: true });
    const caller = tools.find(({ name }) => name === "call_skill_tool")?.annotations;
    expect(caller).toMatchObject({ destructiveHint: true });
    expect(caller?.readOnlyHint).toBeUndefined();
    const use = async (name: string, args: Record<string, unknown>) =>
      ((await client.callTool({ name, arguments: args })).content as { text: string }[])[0]?.text ?? "";
    await expect
      .poll(async () => namesIn(await use("find_tool", { query: "acknowledge an alert" })), { timeout: 20_000 })
      .toContain("monitor__acknowledge_alert");
    expect(await use("call_skill_tool", { name: "monitor__acknowledge_alert", arguments: { id: "1" } })).toBe("well");
    expect(await use("call_skill_tool", { name: "monitor__acknowledge_alert", arguments: {} })).toContain(
      "'id' is missing",
    );
    await client.close();
  });

  it("that searches tools by default lists all with `?tools=list`", async () => {
    await gatewayServers(await manyServers());
    const client = await host("/mcp/listed?tools=list", "all-listed");
    await expect
      .poll(async () => own((await client.listTools()).tools).filter((name) => name.includes("__")).length, {
        timeout: 20_000,
      })
      .toBe(150);
    await client.close();
  });
});
