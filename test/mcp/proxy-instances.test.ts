// The transparent proxy in front of a server with several addresses, and the rules for such entries.

import { describe, expect, it } from "vitest";
import { call } from "../support/call";
import { addServer, INITIALIZE, request, send } from "../support/proxy";
import { realServer, stopServer } from "../support/upstream";

const A = "https://a.example.com/mcp";
const B = "https://b.example.com/mcp";
const variable = (name: string) => ["$", `{{${name}}}`].join("");

describe("an entry", () => {
  const put = (json: Record<string, unknown>) => call("PUT", "/api/v1/mcp-servers/rules", { json });

  it("keeps its addresses and weights", async () => {
    const urls = [{ url: A, weight: 3 }, { url: B }];
    const answer = await put({ url: A, urls });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ url: A, urls });
  });

  it.each([
    ["`url` is not among them", { url: A, urls: [{ url: B }, { url: `${B}/2` }] }],
    ["there is one only", { url: A, urls: [{ url: A }] }],
    ["one is there twice", { url: A, urls: [{ url: A }, { url: A }] }],
    ["the weight is 0", { url: A, urls: [{ url: A, weight: 0 }, { url: B }] }],
    ["the type is `sse`", { type: "sse", url: A, urls: [{ url: A }, { url: B }] }],
    [
      "a variable is in a host",
      { url: A, urls: [{ url: A }, { url: `https://${variable("user.id")}.example.com/mcp` }] },
    ],
    [
      "it is guarded and one has the user's id",
      { url: A, guard: true, urls: [{ url: A }, { url: `${B}?${variable("user.id")}` }] },
    ],
  ])("is rejected if %s", async (_, entry) => {
    expect((await put(entry)).status).toBe(400);
  });

  it("sends a secret to no address that it is not bound to", async () => {
    const body = { value: "instance-secret-value", hosts: ["a.example.com"] };
    expect((await call("PUT", "/api/v1/secrets/INSTANCE", { json: { ...body, scope: "gateway" } })).ok).toBe(true);
    const headers = { "x-key": variable("secrets.INSTANCE") };
    await addServer("bound", { url: A, urls: [{ url: A }, { url: B }], headers });
    const answer = await call("POST", "/api/v1/mcp-servers/bound/test");
    expect(await answer.json()).toMatchObject({
      reachable: false,
      error: "the secret 'INSTANCE' is not bound to the host b.example.com",
    });
  });
});

describe("requests", () => {
  const begin = async (name: string) => {
    const answer = await send(name, INITIALIZE);
    await answer.text();
    return { status: answer.status, handle: answer.headers.get("mcp-session-id") ?? "" };
  };
  const within = async (name: string, handle: string) => {
    const headers = { "mcp-session-id": handle, "mcp-protocol-version": "2025-11-25" };
    const answer = await send(name, request("tools/list"), { headers });
    return { status: answer.status, text: await answer.text() };
  };

  it("begin a session at another instance if one is down, and stay in it", async () => {
    const [down, up] = ["http://127.0.0.1:9/mcp", await realServer("everything:proxy-up")];
    await addServer("one-down", { url: down, urls: [{ url: down, weight: 100 }, { url: up }] });
    for (let n = 0; n < 4; n++) {
      const { status, handle } = await begin("one-down");
      expect(status).toBe(200);
      expect(await within("one-down", handle)).toMatchObject({ status: 200, text: expect.stringContaining("echo") });
    }
  });

  it("of a session whose instance is down begin another: 404", async () => {
    const names = ["everything:proxy-a", "everything:proxy-b"];
    const [a = "", b = ""] = await Promise.all(names.map(realServer));
    await addServer("dying", { url: a, urls: [{ url: a, weight: 100 }, { url: b }] });
    const { handle } = await begin("dying");
    expect((await within("dying", handle)).status).toBe(200);
    await Promise.all(names.map(stopServer));
    // The first request may have reached the server, so it fails. Afterwards the instance is known to be down.
    expect((await within("dying", handle)).status).toBe(502);
    expect((await within("dying", handle)).status).toBe(404);
  });

  it("have handles that end with a change of the addresses", async () => {
    const url = await realServer("everything:proxy-up");
    await addServer("changing", { url, urls: [{ url }, { url: `${url}?2` }] });
    const { handle } = await begin("changing");
    await addServer("changing", { url, urls: [{ url }, { url: `${url}?3` }] });
    expect((await within("changing", handle)).status).toBe(404);
  });
});
