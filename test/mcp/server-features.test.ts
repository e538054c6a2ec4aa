// Server features besides tools for hosts of a conversation: resources, templates, prompts and completions, each routed to its server.

import type { Client } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import { LIBRARY_LIMITS } from "../../src/domain/servers/library/limits";
import { call } from "../support/call";
import { answering } from "../support/listing";
import { type Era, host } from "../support/mcp-client";
import { gatewayServers } from "../support/servers";
import { forget, realServer, scripted, seen } from "../support/upstream";
import type { Script } from "../support/upstream-server/scripted";

const PATIENT = { timeout: 60, connect_timeout: 60 };
const CAPABLE = { tools: {}, resources: {}, prompts: {}, completions: {} };
const resource = (uri: string, more: object = {}) => ({ uri, name: uri.slice(0, 20), ...more });

/** Creates a scripted server with these features. */
function having(
  name: string,
  things: { resources?: object[]; resourceTemplates?: object[]; prompts?: object[] },
  more: Script = {},
) {
  return scripted(name, {
    initialize: answering({ protocolVersion: "2025-11-25", capabilities: CAPABLE, serverInfo: { name, version: "1" } }),
    "resources/list": answering({ resources: things.resources ?? [] }),
    "resources/templates/list": answering({ resourceTemplates: things.resourceTemplates ?? [] }),
    "prompts/list": answering({ prompts: things.prompts ?? [] }),
    "resources/read": answering({ contents: [{ uri: "test://a", text: `read of ${name}` }] }),
    "prompts/get": answering({ messages: [{ role: "user", content: { type: "text", text: `prompt of ${name}` } }] }),
    "completion/complete": answering({ completion: { values: [`completed by ${name}`] } }),
    ...more,
  });
}

const asked = async (name: string, method: string) =>
  (await seen(`/scripted/${name}`)).filter((request) => request.method === method).length;

const uris = async (client: Client) => (await client.listResources()).resources.map(({ uri }) => uri);
const others = async (client: Client) => (await uris(client)).filter((uri) => !uri.startsWith("skill:"));
const refused = (work: Promise<unknown>) =>
  work.then(
    () => "nothing",
    (error: Error) => error.message,
  );

/** Connects a host to a conversation whose servers are connected. */
async function connected(user: string, count: number, era: Era = "legacy"): Promise<Client> {
  const client = await host(`/mcp/${user}`, user, era);
  const states = async () => {
    await client.listTools();
    const answer = await call("GET", `/api/v1/conversations/${user}`, { as: user });
    const { mcp } = await answer.json<{ mcp: { state: string }[] }>();
    return mcp.filter(({ state }) => state === "connected").length;
  };
  await expect.poll(states, { timeout: 30_000 }).toBe(count);
  return client;
}

beforeEach(async () => {
  await forget();
  await gatewayServers({});
});

describe.each<Era>(["legacy", "modern"])("a real server's things, %s era", (era) => {
  it("are listed, read, got and completed under its name", async () => {
    await gatewayServers({ everything: { url: await realServer("everything"), ...PATIENT } });
    const client = await connected(`real-${era}`, 1, era);
    const { prompts } = await client.listPrompts();
    const names = prompts.map(({ name }) => name);
    expect(names).toContain("everything__simple-prompt");
    const got = await client.getPrompt({ name: "everything__simple-prompt" });
    expect(got.messages[0]?.role).toBe("user");
    const [first] = await others(client);
    const read = await client.readResource({ uri: first ?? "" });
    expect(read.contents[0]?.uri).toBe(first);
    const { resourceTemplates } = await client.listResourceTemplates();
    const template =
      resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes("dynamic/text"))?.uriTemplate ?? "";
    const made = await client.readResource({ uri: template.replace(/\{[^}]*\}/, "7") });
    expect(JSON.stringify(made)).toContain("7");
    const argued = prompts.find(({ name }) => name.includes("completable"));
    const argument = { name: argued?.arguments?.[0]?.name ?? "", value: "" };
    const completed = await client.complete({ ref: { type: "ref/prompt", name: argued?.name ?? "" }, argument });
    expect(completed.completion.values.length).toBeGreaterThan(0);
  });
});

describe("two servers", () => {
  const both = async (first: Parameters<typeof having>[1], second: Parameters<typeof having>[1], entry: object = {}) =>
    gatewayServers({
      one: { url: await having("one", first), ...PATIENT, ...entry },
      two: { url: await having("two", second), ...PATIENT, ...entry },
    });

  it("with the same URI are listed under their aliases, and an ambiguous URI reads neither", async () => {
    const mine = { resources: [resource("test://a"), resource("test://one")] };
    await both(mine, { resources: [resource("test://a")] });
    const client = await connected("collide", 2);
    expect(await others(client)).toEqual(["via:one/test://a", "test://one", "via:two/test://a"]);
    expect(await refused(client.readResource({ uri: "test://a" }))).toContain("not found");
    expect([await asked("one", "resources/read"), await asked("two", "resources/read")]).toEqual([0, 0]);
    const read = await client.readResource({ uri: "via:two/test://a" });
    expect(read.contents).toEqual([{ uri: "via:two/test://a", text: "read of two" }]);
    expect([await asked("one", "resources/read"), await asked("two", "resources/read")]).toEqual([0, 1]);
  });

  it("cannot take each other's addresses by templates, nor the gateway's own", async () => {
    await both(
      { resources: [resource("test://a"), resource("skill://mermaid-diagram/SKILL.md"), resource("via:two/x")] },
      {
        resourceTemplates: [
          { uriTemplate: "{+any}", name: "all" },
          { uriTemplate: "SKILL://{x}", name: "skills" },
        ],
      },
    );
    const client = await connected("templates", 2);
    const listed = await uris(client);
    expect(listed.slice(-3)).toEqual([
      "via:one/test://a",
      "via:one/skill://mermaid-diagram/SKILL.md",
      "via:one/via:two/x",
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate).slice(1)).toEqual([
      "via:two/{+any}",
      "via:two/SKILL://{x}",
    ]);
    expect(await refused(client.readResource({ uri: "skill://mermaid-diagram/nothing" }))).toContain("not found");
    expect(await asked("two", "resources/read")).toBe(0);
  });

  it("have their prompts under their names, or bare names if they are unique", async () => {
    const prompts = [{ name: "shared" }, { name: "own\u0000 one" }];
    await both({ prompts }, { prompts: [{ name: "shared" }, { name: "two" }] }, { prefix: "on-conflict" });
    const client = await connected("prompts", 2);
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toEqual(["one__shared", "own__one", "two__shared", "two"]);
    expect(JSON.stringify(await client.getPrompt({ name: "two__shared" }))).toContain("prompt of two");
    expect(await refused(client.getPrompt({ name: "shared" }))).toContain("Unknown prompt");
    const ref = { type: "ref/prompt" as const, name: "two" };
    const { completion } = await client.complete({ ref, argument: { name: "a", value: "" } });
    expect(completion.values).toEqual(["completed by two"]);
    expect(await asked("one", "completion/complete")).toBe(0);
  });
});

describe("hostile fields of a server", () => {
  it("is cut: lists without an end, addresses with white space, texts of many lines", async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => resource(`test://${n}`, { description: "x".repeat(90) }));
    const strange = ["test://a b", "test://\u202Ea", "no-scheme", "x".repeat(5_000)].map((uri) => ({
      uri,
      name: "a\r\nb",
    }));
    const resources = [...strange, resource("test://line", { name: "a\r\n\u0007b" }), ...many];
    await gatewayServers({ many: { url: await having("many", { resources }), ...PATIENT } });
    const client = await connected("many", 1);
    const listed = (await client.listResources()).resources.filter(({ uri }) => uri.startsWith("test:"));
    expect(listed).toHaveLength(LIBRARY_LIMITS.things);
    expect(listed[0]).toMatchObject({ uri: "test://line", name: "a b" });
  });

  it("costs its own things only: the others' are there while it is silent or wrong", { tags: ["slow"] }, async () => {
    const good = { resources: [resource("test://good")] };
    const wrong = {
      "resources/list": answering({ resources: "none" }),
      "prompts/list": answering({ prompts: [1, {}] }),
    };
    const silent = { "resources/list": { headers: { "content-type": "text/event-stream" }, stands: true } };
    await gatewayServers({
      good: { url: await having("good", good), ...PATIENT },
      wrong: { url: await having("wrong", {}, wrong), ...PATIENT },
      silent: { url: await having("silent", {}, silent), ...PATIENT },
    });
    const client = await connected("silent", 3);
    await expect.poll(() => others(client), { timeout: 20_000 }).toEqual(["test://good"]);
    expect((await client.listPrompts()).prompts).toEqual([]);
    // Its tools remain available, and the failed list is not requested on every call.
    for (let n = 0; n < 6; n++) await client.listPrompts();
    expect(await asked("wrong", "resources/list")).toBe(1);
    expect(await client.callTool({ name: "wrong__echo", arguments: {} })).toMatchObject({
      content: [{ text: "well" }],
    });
  });

  it("is returned to the host in one line that names the server, and nothing of the gateway", async () => {
    const error = {
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":@id,"error":{"code":-32602,"message":"no\\nsuch"}}',
    };
    const url = await having("says", { resources: [resource("test://a")] }, { "resources/read": error });
    await gatewayServers({ says: { url, ...PATIENT } });
    const client = await connected("says", 1);
    expect(await refused(client.readResource({ uri: "test://a" }))).toMatch(
      /MCP server 'says' rejected the request: .*no such/,
    );
    const odd = await having(
      "says",
      { resources: [resource("test://a")] },
      { "resources/read": answering({ contents: [{ uri: 1 }] }) },
    );
    expect(odd).toBe(url);
    expect(await refused(client.readResource({ uri: "test://a" }))).toContain("does not match the request");
  });
});

describe("access to a server", () => {
  it("is checked at every view and call: another user's and a removed one are not found", async () => {
    const url = await having("private", { resources: [resource("test://secret")], prompts: [{ name: "mine" }] });
    const entry = { url, ...PATIENT };
    await call("PUT", "/api/v1/servers/private", { as: "owner", json: entry });
    const owner = await connected("owner", 1);
    expect(await others(owner)).toEqual(["test://secret"]);
    const stranger = await host("/mcp/owner", "stranger");
    expect(await others(stranger)).toEqual([]);
    for (const uri of ["test://secret", "via:private/test://secret"])
      expect(await refused(stranger.readResource({ uri }))).toContain("not found");
    expect(await refused(stranger.getPrompt({ name: "private__mine" }))).toContain("Unknown prompt");
    expect(await asked("private", "resources/read")).toBe(0);
    await call("DELETE", "/api/v1/servers/private", { as: "owner" });
    for (const uri of ["test://secret", "via:private/test://secret"])
      expect(await refused(owner.readResource({ uri }))).toContain("not found");
    expect(await asked("private", "resources/read")).toBe(0);
  });

  it("a guarded server lists nothing that is not approved", async () => {
    const url = await having("guarded", { resources: [resource("test://a")], prompts: [{ name: "poison" }] });
    await gatewayServers({ guarded: { url, ...PATIENT, guard: true } });
    const client = await connected("guarded", 1);
    expect([await others(client), (await client.listPrompts()).prompts]).toEqual([[], []]);
    expect(await refused(client.readResource({ uri: "test://a" }))).toContain("not found");
  });
});
