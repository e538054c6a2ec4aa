// Data that the transparent proxy blocks: keys, foreign headers, sessions of other users, pages of other sites, endless messages.

import { exports } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, call } from "../support/call";
import { addServer, fetchAs, INITIALIZE, messages, request, send, session } from "../support/proxy";
import { faults, forget, realServer, seen } from "../support/upstream";

const VARIED = `\${{ user.id }} \${{ request.id }}`;
const ADDRESS = "https://gateway.test/mcp/servers/plain";

await addServer("plain", { url: `${faults}/ok/none`, headers: { "X-Own": "the entry's" } });
beforeEach(forget);

describe("headers", () => {
  it("go to the server only when they are MCP's or the entry's", async () => {
    const headers = await session("plain");
    const sent = {
      "mcp-name": "headers",
      "mcp-method": "tools/call",
      "mcp-param-region": "eu",
      "last-event-id": "17",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      cookie: "session=secret",
      "x-own": "the client's",
      "x-forwarded-for": "10.1.2.3",
      "x-api-key": "secret",
      "user-agent": "a client",
      "accept-language": "de",
    };
    await send("plain", request("tools/call", { name: "headers" }), { headers: { ...headers, ...sent } });
    const [last] = (await seen("/ok/none")).slice(-1);
    const {
      host: _host,
      connection: _connection,
      "content-length": _length,
      "cf-worker": _worker,
      ...arrived
    } = last!.headers;
    expect(arrived).toEqual({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "last-event-id": "17",
      "mcp-method": "tools/call",
      "mcp-name": "headers",
      "mcp-param-region": "eu",
      "mcp-protocol-version": "2025-11-25",
      "mcp-session-id": expect.stringMatching(/^session-\d+$/),
      traceparent: sent.traceparent,
      "x-own": "the entry's",
    });
  });

  it("come back only when they are MCP's", async () => {
    const answer = await send("plain", INITIALIZE);
    const allowed =
      /^(cache-control|content-(security-policy|type)|cross-origin-resource-policy|mcp-session-id|referrer-policy|server-timing|strict-transport-security|vary|x-content-type-options|x-d1-bookmark|x-request-id)$/;
    expect([...answer.headers.keys()].filter((name) => !allowed.test(name))).toEqual([]);
  });
});

it("fills the variables of an entry for each request", async () => {
  await addServer("varied", { url: `${faults}/ok/varied`, headers: { "X-For": VARIED } });
  const calls = [
    ["alice", "one"],
    ["alice", "two"],
    ["bob", "three"],
  ] as const;
  for (const [user, id] of calls) await send("varied", INITIALIZE, { user, headers: { "x-request-id": id } });
  const arrived = (await seen("/ok/varied")).map(({ headers }) => headers["x-for"]);
  expect(arrived).toEqual(["alice one", "alice two", "bob three"]);
});

describe("a key", () => {
  it("is required, and never passed on", async () => {
    const without = await exports.default.fetch(ADDRESS, { method: "POST", body: JSON.stringify(INITIALIZE) });
    expect(without.status).toBe(401);
    expect(await seen("/ok/none")).toEqual([]);
    await send("plain", INITIALIZE);
    const everything = JSON.stringify(await seen("/ok/none"));
    expect(everything).not.toContain("sgw_");
    expect(everything).not.toContain("authorization");
  });

  it("of any user is good for every server of the gateway", async () => {
    expect((await send("plain", INITIALIZE, { user: "zoe" })).status).toBe(200);
  });
});

describe("a session", () => {
  it("is known to its user under another name than to the server, and always the same", async () => {
    const headers = await session("plain");
    expect(headers["mcp-session-id"]).toMatch(/^[\w-]{40,}$/);
    const arrived = (await seen("/ok/none")).at(-1)?.headers["mcp-session-id"];
    expect(arrived).toMatch(/^session-\d+$/);
    expect(headers["mcp-session-id"]).not.toContain(arrived);
  });

  it("has another name when the server begins another one in it", async () => {
    const headers = await session("plain");
    const answer = await send("plain", INITIALIZE, { headers });
    const next = answer.headers.get("mcp-session-id") ?? "";
    expect(next).not.toBe(headers["mcp-session-id"]);
    await send("plain", request("tools/list"), { headers: { ...headers, "mcp-session-id": next } });
    const [first, last] = (await seen("/ok/none")).slice(-2).map((one) => one.headers["mcp-session-id"]);
    expect(last).toMatch(/^session-\d+$/);
    expect(last).not.toBe(first);
  });

  it("is 404 for every other user, and nothing of it reaches the server", async () => {
    const headers = await session("plain", "alice");
    await forget();
    for (const method of ["POST", "GET", "DELETE"]) {
      const message = method === "POST" ? request("tools/list") : null;
      const answer = await send("plain", message, { user: "bob", headers, method });
      expect([method, answer.status]).toEqual([method, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: -32001, message: "Session not found" } });
    }
    expect(await seen("/ok/none")).toEqual([]);
  });

  it.each(["session-1", "", "A", "A".repeat(86)])("cannot be made up: '%s'", async (id) => {
    await session("plain");
    const answer = await send("plain", request("tools/list"), { headers: { "mcp-session-id": id } });
    expect(answer.status).toBe(404);
  });

  it("of one server is nothing to another, nor to the same one at another address", async () => {
    await addServer("other", { url: `${faults}/ok/other` });
    const headers = await session("other");
    expect((await send("plain", request("tools/list"), { headers })).status).toBe(404);
    await addServer("other", { url: `${faults}/ok/moved-away` });
    expect((await send("other", request("tools/list"), { headers })).status).toBe(404);
  });
});

describe("an endpoint of the older transport", () => {
  it("is this gateway's, and good for its own user only", async () => {
    await addServer("old", { type: "sse", url: await realServer("everything-sse") });
    const stream = await send("old", null);
    const reader = stream.body!.getReader();
    const text = new TextDecoder().decode((await reader.read()).value);
    expect(text).toMatch(/^event: endpoint\ndata: \/mcp\/servers\/old\/message\?to=[\w-]+\n\n$/);
    const path = text.slice("event: endpoint\ndata: ".length).trim();
    const post = (user: string, address: string) =>
      fetchAs(user)(`https://gateway.test${address}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(INITIALIZE),
      });
    expect((await post("bob", path)).status).toBe(404);
    expect((await post("alice", "/mcp/servers/old/message")).status).toBe(404);
    expect((await post("alice", "/mcp/servers/plain/message?to=x")).status).toBe(404);
    const accepted = await post("alice", path);
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"serverInfo"');
    await reader.cancel();
  });
});

describe("pages", () => {
  const from = (origin: string, url = ADDRESS) =>
    exports.default.fetch(url, {
      method: "POST",
      headers: { origin, authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(INITIALIZE),
    });

  it.each([
    ["http://evil.example.com", "http://evil.example.com/mcp/servers/plain"],
    ["https://evil.example.com", ADDRESS],
    ["null", ADDRESS],
  ])("of %s are refused", async (origin, url) => {
    expect((await from(origin, url)).status).toBe(403);
    expect(await seen("/ok/none")).toEqual([]);
  });

  it("of the gateway's own origin and of this machine are allowed, and can read the required headers", async () => {
    expect((await from("https://gateway.test")).status).toBe(200);
    const answer = await from("http://127.0.0.1:6274");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBe("http://127.0.0.1:6274");
    expect(answer.headers.get("access-control-expose-headers")).toContain("mcp-session-id");
  });

  it("may ask before they send", async () => {
    const preflight = await exports.default.fetch(ADDRESS, {
      method: "OPTIONS",
      headers: {
        origin: "http://localhost:6274",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,mcp-param-region",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("mcp-param-region");
  });
});

describe("a message", () => {
  it("of more than 4 MiB is refused before it goes anywhere", async () => {
    const answer = await send("plain", request("tools/call", { name: "echo", arguments: { a: "x".repeat(4 << 20) } }));
    expect(answer.status).toBe(413);
    expect(await seen("/ok/none")).toEqual([]);
  });

  it("that is no JSON is the server's to judge", async () => {
    await addServer("real", { url: await realServer("everything") });
    const broken = { headers: await session("real") };
    const answer = await send("real", "{", broken);
    expect([answer.status, (await messages(answer))[0]?.error?.code]).toEqual([400, -32700]);
  });

  it("with a method that HTTP has and MCP has not is 405", async () => {
    const answer = await send("plain", INITIALIZE, { method: "PUT" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
    expect((await messages(answer))[0]?.error?.code).toBe(-32000);
  });
});

describe("tools that an entry leaves out", () => {
  const tools = async (name: string, headers: Record<string, string>) => {
    const [answer] = await messages(await send(name, request("tools/list"), { headers }));
    return (answer?.result as { tools: { name: string }[] } | undefined)?.tools.map((tool) => tool.name);
  };

  it("are neither listed nor called, by `deny`", async () => {
    await addServer("denied", { url: `${faults}/ok/denied`, deny: ["headers", "large"] });
    const headers = await session("denied");
    expect(await tools("denied", headers)).toEqual(["echo", "slow", "changed", "text"]);
    const answer = await send("denied", request("tools/call", { name: "headers" }, 9), { headers });
    expect(await answer.json()).toEqual({
      jsonrpc: "2.0",
      id: 9,
      error: { code: -32602, message: "Tool 'headers' not found on this server. `tools/list` returns its tools." },
    });
    const [echo] = await messages(await send("denied", request("tools/call", { name: "echo" }), { headers }));
    expect(echo?.result?.content[0]?.text).toBe("ok: {}");
  });

  it("are all but those of `allow`, in event streams too", async () => {
    await addServer("allowed", { url: await realServer("everything"), allow: ["echo"] });
    const headers = await session("allowed");
    expect(await tools("allowed", headers)).toEqual(["echo"]);
    expect((await send("allowed", request("tools/call", { name: "get-env" }), { headers })).status).toBe(200);
    const told = await messages(await send("allowed", request("tools/call", { name: "get-env" }), { headers }));
    expect(told[0]?.error?.code).toBe(-32602);
  });

  it("cannot be called by a message that reads in two ways", async () => {
    await addServer("denied", { url: `${faults}/ok/denied`, deny: ["headers"] });
    const headers = await session("denied");
    const twice = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"headers","name":"echo"}}';
    const [echo] = await messages(await send("denied", twice, { headers }));
    expect(echo?.result?.content[0]?.text).toBe("ok: {}");
    const batch = [request("ping"), request("tools/call", { name: "headers" }, 2)];
    expect((await messages(await send("denied", batch, { headers })))[0]?.error?.code).toBe(-32602);
    expect((await send("denied", "{", { headers })).status).toBe(400);
    const repetitions: Record<string, string>[] = [
      { "mcp-name": "headers" },
      { "mcp-method": "tools/list" },
      { "mcp-name": "=?base64?aGVhZGVycw==?=" },
    ];
    for (const repeated of repetitions) {
      const echo = request("tools/call", { name: "echo" });
      const answer = await send("denied", echo, { headers: { ...headers, ...repeated } });
      expect([answer.status, (await messages(answer))[0]?.error?.code]).toEqual([400, -32020]);
    }
    const named = { ...headers, "mcp-method": "tools/call", "mcp-name": "=?base64?ZWNobw==?=" };
    expect((await send("denied", request("tools/call", { name: "echo" }), { headers: named })).status).toBe(200);
  });
});

describe("secrets and variables of an entry", () => {
  const variable = (name: string) => `\${{${name}}}`;
  const SECRET = 's3cret-"value"-of-the-test';

  it("reach the server and never the client", async () => {
    const secret = { value: SECRET, hosts: ["127.0.0.1"], scope: "gateway" };
    const stored = await call("PUT", "/api/v1/secrets/PROXY_TOKEN", { json: secret });
    expect(await stored.json()).toMatchObject({ name: "PROXY_TOKEN" });
    const url = `${faults}/ok/secret?user=${variable("user.id")}`;
    await addServer("secretive", { url, headers: { "X-Token": `token ${variable("secrets.PROXY_TOKEN")}` } });
    const headers = await session("secretive");
    const answer = await send("secretive", request("tools/call", { name: "headers" }), { headers });
    const text = await answer.text();
    expect(text).toContain("token [secret PROXY_TOKEN]");
    expect(text).not.toContain("s3cret");
    const arrived = (await seen("/ok/secret")).at(-1);
    expect(arrived?.headers["x-token"]).toBe(`token ${SECRET}`);
  });

  it("with missing variables are reported by name", async () => {
    await addServer("unfilled", {
      url: `${faults}/ok/none`,
      headers: { "X-Token": variable("secrets.NOBODY_HAS_IT") },
    });
    const answer = await send("unfilled", request("tools/list", {}, 3));
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ id: 3, error: { message: expect.stringContaining("NOBODY_HAS_IT") } });
    await addServer("unfilled", { url: `${faults}/ok/none`, headers: { "X-Talk": variable("conversation.id") } });
    expect(await (await send("unfilled", INITIALIZE)).text()).toContain("conversation.id");
  });
});
