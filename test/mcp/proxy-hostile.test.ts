// Malicious servers behind the transparent proxy: traffic of another origin, denied tools, and a stream that parsers read in two ways.

import { beforeEach, describe, expect, it } from "vitest";
import { call } from "../support/call";
import { addServer, fetchAs, messages, request, send } from "../support/proxy";
import { faults, forget, scripted, seen } from "../support/upstream";

const STREAM = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
const OTHER = faults.replace("127.0.0.1", "localhost");

beforeEach(forget);

/** Connects to a server of type `sse` whose stream begins with this text. Returns the result. */
async function stream(name: string, body: string, type = "sse"): Promise<string> {
  await addServer(name, { type, url: await scripted(name, { GET: { headers: STREAM, body } }) });
  return (await send(name, null)).text();
}

/** Posts to the URL that a stream named. */
async function post(address: string): Promise<Response> {
  const body = JSON.stringify(request("tools/list"));
  return fetchAs("alice")(`https://gateway.test${address}`, { method: "POST", headers: JSON_TYPE, body });
}

/** Requests to a host that is not configured. */
const astray = async () => (await seen("/collect")).filter(({ headers }) => headers.host === new URL(OTHER).host);

const ENDPOINT = /data: (\/mcp\/servers\/[\w-]+\/message\?to=[\w-]+)\n/;

describe("an endpoint", () => {
  const host = new URL(OTHER).host;

  it.each([
    ["two slashes after a dot", `/.//${host}/collect`],
    ["two slashes after a way up", `/x/..//${host}/collect`],
    ["two slashes after an encoded dot", `/%2e//${host}/collect`],
    ["backslashes after a dot", `/.\\\\${host}/collect`],
  ])("of its own origin never leads to another: %s", async (_, endpoint) => {
    const told = await stream("slashes", `event: endpoint\ndata: ${endpoint}\n\n`);
    const address = ENDPOINT.exec(told)?.[1];
    if (address !== undefined) await (await post(address)).text();
    expect(await astray()).toEqual([]);
  });

  it.each([
    ["a host", `//${host}/collect`],
    ["a whole URL", `${OTHER}/collect`],
    ["another scheme", `https://${new URL(faults).host}/collect`],
    ["no URL", "http://"],
  ])("of another origin ends the stream: %s", async (_, endpoint) => {
    const told = await stream("foreign", `event: endpoint\ndata: ${endpoint}\n\n`);
    expect(told).toContain("the server names an endpoint of another origin, which is not allowed");
    expect(told).not.toMatch(ENDPOINT);
  });

  it("is found with any line ends around it", async () => {
    for (const [at, end] of ["\n\r\n", "\r\n\n", "\r\r\n", "\n\r", "\r\n\r"].entries()) {
      const text = `event: endpoint\ndata: ${OTHER}/collect${end}event: message\ndata: {"a":1}\n\n`;
      const told = await stream(`mixed-${at}`, text);
      expect(told).not.toContain("/collect");
      expect(told).toContain("another origin");
    }
    const behind = await stream("bom", `\uFEFFevent: endpoint\ndata: ${OTHER}/collect\n\n`);
    expect(behind).not.toContain("/collect");
  });

  it("is not used on a server without one", async () => {
    const text = `event: endpoint\ndata: ${OTHER}/collect\n\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n`;
    const told = await stream("newer", text, "streamable-http");
    expect(told).toBe('data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n');
  });

  it("leads to the server with its query", async () => {
    const told = await stream("honest", "event: endpoint\ndata: ?session=1&x=%2F\n\n");
    expect((await post(ENDPOINT.exec(told)?.[1] ?? "")).status).toBe(200);
    expect(await seen("/scripted/honest")).toMatchObject([{ http: "GET" }, { http: "POST" }]);
  });
});

describe("an event", () => {
  it("is written again: with standard line ends, without comments and unknown fields", async () => {
    const text =
      ': hello\nid: 1\rretry: 20\r\ndata: {"a":\ndata:1}\nunknown: x\n\n:\n\nretry: soon\n\nid: 2\n\nevent: x\n\n';
    const told = await stream("anew", text, "streamable-http");
    expect(told).toBe('id: 1\nretry: 20\ndata: {"a":\ndata: 1}\n\nid: 2\n\n');
  });
});

describe("denied tools", () => {
  const tools = [
    { name: "open" },
    { name: "closed" },
    { description: "no name" },
    null,
    "closed",
    { name: ["closed"] },
  ];
  const list = (id: string) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"tools":${JSON.stringify(tools)},"size":12345678901234567890}}`;

  it("are not listed next to one without a name, and numbers in the list are unchanged", async () => {
    const url = await scripted("nameless", { "tools/list": { headers: JSON_TYPE, body: list("@id") } });
    await addServer("nameless", { url, deny: ["closed"] });
    const text = await (await send("nameless", request("tools/list"))).text();
    expect(JSON.parse(text).result.tools).toEqual([{ name: "open" }]);
    expect(text).toContain("12345678901234567890");
  });

  it.each([
    ["in a batch in a batch", [[request("tools/call", { name: "closed" })]]],
    ["in a batch beside one that is well", [request("ping"), [[request("tools/call", { name: "closed" })]]]],
    ["by a name in other letters", { ...request("tools/call", { name: "open", Name: "closed" }) }],
    [
      "by parameters in other letters",
      { ...request("tools/call", { name: "open" }), "param\u017f": { name: "closed" } },
    ],
    ["by a method in other letters", { ...request("ping"), Method: "tools/call", params: { name: "closed" } }],
  ])("are not called %s", async (_, body) => {
    await addServer("nested", { url: await scripted("nested", {}), deny: ["closed"] });
    const answer = await send("nested", body);
    expect([answer.status, (await messages(answer))[0]?.error?.code]).toEqual([400, -32600]);
    expect(await seen("/scripted/nested")).toEqual([]);
  });

  it("cost the others nothing: numbers go to the server and come back as they were written", async () => {
    const big = '{"jsonrpc":"2.0","id":@id,"result":{"content":[],"n":12345678901234567890,"d":1.10,"e":1e400}}';
    const url = await scripted("numbers", { "tools/call": { headers: JSON_TYPE, body: big } });
    await addServer("numbers", { url, deny: ["closed"] });
    const body =
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"open","arguments":{"n":12345678901234567890}}}';
    expect(await (await send("numbers", body)).text()).toBe(big.replace("@id", "7"));
    expect((await seen("/scripted/numbers"))[0]?.body).toBe(body);
  });
});

describe("an answer that is made to take long", () => {
  const SECRET = "sk-aB3/dE6+gH9/jK2lM5";

  /** Returns the text that a client receives for this answer of a server with a secret. */
  async function heard(name: string, text: string): Promise<string> {
    const secret = { value: SECRET, hosts: ["127.0.0.1"], scope: "gateway" };
    await (await call("PUT", "/api/v1/secrets/ESCAPES_TOKEN", { json: secret })).text();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } });
    const url = await scripted(name, { "tools/call": { headers: JSON_TYPE, body } });
    await addServer(name, { url, headers: { "x-token": `\${{secrets.ESCAPES_TOKEN}}` } });
    const answer = await send(name, request("tools/call", { name: "escapes" }));
    return answer.text();
  }

  it.each([
    ["a number that is no character", "\\&#99999999;"],
    ["halves of characters", "\\ud83d".repeat(20_000)],
  ])("is passed on where it is %s", async (_, text) => {
    const told: { result: { content: { text: string }[] } } = JSON.parse(await heard("odd", `${text} ${SECRET}`));
    expect(told.result.content[0]?.text === `${text} [secret ESCAPES_TOKEN]`).toBe(true);
  });

  it("is not passed on where it was not read to its end", async () => {
    const told = await heard("long", `${"Ãé".repeat(100_000)}${SECRET}`);
    expect(told).toContain("the server's answer has too many escapes to be searched for secrets");
    expect(told).not.toContain(SECRET);
    expect(told.length).toBeLessThan(1_000);
  });
});
