// Faulty servers behind the transparent proxy: the error for the client, its delay, and that no connection stays open.

import { beforeEach, describe, expect, it } from "vitest";
import { addServer, INITIALIZE, messages, request, send, session } from "../support/proxy";
import { expectNoConnections, faults, forget, fullServer, seen } from "../support/upstream";

/** The tested deadlines are one second. This limit allows for a slow machine but is below the default deadlines. */
const SOON = 15_000;
/** All deadlines except the tested one are long. */
const PATIENT = { timeout: 60, connect_timeout: 60 };

beforeEach(forget);

async function server(path: string, more: Record<string, unknown> = {}): Promise<string> {
  const name = path.replace("/", "-");
  await addServer(name, { url: `${faults}/${path}`, ...PATIENT, ...more });
  return name;
}

/** Calls a tool of a faulty server while a healthy server is called. */
async function call(fault: string, deadline: { timeout?: number } = {}) {
  const [name, healthy] = [await server(`${fault}/call`), await server("ok/none")];
  const [headers, ownHeaders] = [await session(name), await session(healthy)];
  // Set after the session has started, which can take longer on a busy machine.
  await server(`${fault}/call`, deadline);
  const began = Date.now();
  const [answer, beside] = await Promise.all([
    send(name, request("tools/call", { name: "echo" }, "call-7"), { headers }),
    send(healthy, request("tools/call", { name: "echo" }), { headers: ownHeaders }).then(messages),
  ]);
  expect(beside[0]?.result?.content[0]?.text).toBe("ok: {}");
  const told = await messages(answer);
  expect(Date.now() - began).toBeLessThan(SOON);
  return { answer, last: told.at(-1) };
}

const LATE = "MCP server 'NAME-call' timed out: the server did not respond within 1s.";

/** The HTTP status and the error with the request's id. In a stream, the status has already been sent. */
const TOLD: [string, number, string][] = [
  ["hang", 504, LATE],
  ["headers", 200, LATE],
  ["drip", 200, LATE],
  ["dripjson", 504, LATE],
  ["break", 200, "MCP server 'NAME-call' failed: the server closed the connection."],
  ["breakjson", 502, "MCP server 'NAME-call' failed: the server closed the connection."],
  ["end", 200, "MCP server 'NAME-call' failed: the server ended the connection without an answer."],
  ["s401", 502, "MCP server 'NAME-call' failed: the server returned HTTP 401, its credentials are missing or wrong."],
  ["html", 502, "MCP server 'NAME-call' failed: the server's answer is neither JSON nor an event stream."],
  ["big", 502, "MCP server 'NAME-call' failed: the server's answer is too large (limit 8 MiB)."],
  ["bigstream", 200, "MCP server 'NAME-call' failed: the server's answer is too large (limit 8 MiB)."],
  [
    "private",
    502,
    "MCP server 'NAME-call' failed: the server redirects to another address, and redirects are not followed.",
  ],
  [
    "other",
    502,
    "MCP server 'NAME-call' failed: the server redirects to another address, and redirects are not followed.",
  ],
  [
    "found",
    502,
    "MCP server 'NAME-call' failed: the server redirects to another address, and redirects are not followed.",
  ],
];

describe("a call", () => {
  it.each(TOLD)("fails in the request's name: %s", async (fault, status, told) => {
    const { answer, last } = await call(fault, told === LATE ? { timeout: 1 } : {});
    expect(answer.status).toBe(status);
    expect(last).toEqual({
      jsonrpc: "2.0",
      id: "call-7",
      error: { code: -32603, message: told.replace("NAME", fault) },
    });
  });

  it("passes a server's own errors on as they are: JSON-RPC, and JSON with its status", async () => {
    expect((await call("error")).last?.error?.message).toBe("the tool's own words");
    const broken = await call("s500");
    expect([broken.answer.status, broken.last]).toEqual([500, { error: "it broke" }]);
    const slower = await call("s429");
    expect([slower.answer.status, slower.answer.headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("follows a redirect within the server", async () => {
    const name = await server("moved/connect");
    expect((await send(name, INITIALIZE)).status).toBe(200);
  });
});

describe("a missing server", () => {
  it("is reported within the connect timeout", async () => {
    await addServer("nobody", { url: "http://127.0.0.1:9/mcp", connect_timeout: 1 });
    const answer = await send("nobody", INITIALIZE);
    expect(answer.status).toBe(502);
    expect((await messages(answer))[0]).toMatchObject({
      id: 1,
      error: { message: "MCP server 'nobody' failed: the server cannot be reached." },
    });
  });

  it("is reported if its port never accepts", async () => {
    await addServer("full", { url: await fullServer(), connect_timeout: 1 });
    const began = Date.now();
    const answer = await send("full", INITIALIZE);
    expect(answer.status).toBeGreaterThanOrEqual(502);
    expect(Date.now() - began).toBeLessThan(SOON);
  });

  it("is refused by the host policy, in words that do not quote the address", async () => {
    await addServer("private", { url: "http://10.0.0.1/mcp" });
    const answer = await send("private", INITIALIZE);
    expect(answer.status).toBe(502);
    const text = await answer.text();
    expect(text).toContain("its URL is not allowed");
    expect(text).not.toContain("10.0.0.1");
  });

  it("is 404 without a configuration", async () => {
    const answer = await send("no-such-server", request("tools/list", {}, 5));
    expect(answer.status).toBe(404);
    expect((await messages(answer))[0]).toMatchObject({
      id: 5,
      error: { message: "MCP server 'no-such-server' not found. Check the name." },
    });
  });
});

describe("a stream", () => {
  it("of a call is closed on the server's side when the client goes", async () => {
    const name = await server("ok/none");
    const headers = await session(name);
    const slow = request("tools/call", { name: "slow", arguments: {}, _meta: { progressToken: 1 } });
    const answer = await send(name, slow, { headers });
    const reader = answer.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain("notifications/progress");
    await reader.cancel();
    await expectNoConnections();
  });

  it("can take longer than a call as long as it sends data", async () => {
    const name = await server("ok/none", { timeout: 1 });
    const headers = await session(name);
    const slow = request("tools/call", { name: "slow", arguments: { end: true }, _meta: { progressToken: 1 } });
    const told = await messages(await send(name, slow, { headers }));
    expect(told.map(({ method }) => method)).toEqual([...Array(3).fill("notifications/progress"), undefined]);
    expect(told.at(-1)?.result?.content[0]?.text).toBe("done");
  });

  it("of the older transport is ended when it names an endpoint of another origin", async () => {
    await addServer("foreign", { type: "sse", url: `${faults}/endpoint/none` });
    const text = await (await send("foreign", null)).text();
    expect(text).not.toContain("example.com");
    expect(text).toBe(
      "event: error\ndata: MCP server 'foreign' failed: the server names an endpoint of another origin, which is not allowed.\n\n",
    );
  });
});

it("leaves no connection behind", async () => {
  await Promise.all(["hang", "headers", "drip", "big", "bigstream"].map((fault) => call(fault, { timeout: 1 })));
  await expectNoConnections();
  expect((await seen("/hang/call")).length).toBeGreaterThan(0);
});
