// The transparent proxy with real servers: clients of both transports can use all features of a server.

import { describe, expect, it } from "vitest";
import { addServer, connect, INITIALIZE, request, send, session } from "../support/proxy";
import { realServer, restart } from "../support/upstream";

describe("server-everything over streamable HTTP", async () => {
  await addServer("everything", { url: await realServer("everything:proxy") });

  it("offers its tools, prompts, resources, templates and completions", async () => {
    const client = await connect("everything");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]));
    expect(tools.length).toBeGreaterThanOrEqual(13);
    const sum = await client.callTool({ name: "get-sum", arguments: { a: 2, b: 40 } });
    expect(JSON.stringify(sum.content)).toContain("42");
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
    const { resources } = await client.listResources();
    expect((await client.readResource({ uri: resources[0]!.uri })).contents).toHaveLength(1);
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    });
    expect(completion.values).toContain("Engineering");
    await client.close();
  });

  it("passes progress on, and a cancellation", async () => {
    const client = await connect("everything");
    const seen: number[] = [];
    const args = { duration: 0.4, steps: 4 };
    const long = { name: "trigger-long-running-operation", arguments: args };
    await client.callTool(long, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3, 4]);
    const stop = new AbortController();
    const cancelled = client.callTool(
      { ...long, arguments: { duration: 20, steps: 100 } },
      { signal: stop.signal, onprogress: () => stop.abort("enough") },
    );
    await expect(cancelled).rejects.toThrow(/enough/);
    await client.close();
  });

  it("lets a server ask the client: sampling, elicitation, roots", async () => {
    const client = await connect("everything", "http", "alice", {
      capabilities: { sampling: {}, elicitation: { form: {} }, roots: { listChanged: true } },
    });
    client.setRequestHandler("sampling/createMessage", () => ({
      model: "tests",
      role: "assistant",
      content: { type: "text", text: "sampled" },
    }));
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ada" } }));
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///home/ada", name: "home" }] }));
    await expect
      .poll(async () => (await client.listTools({}, { cacheMode: "refresh" })).tools.map(({ name }) => name))
      .toEqual(expect.arrayContaining(["trigger-sampling-request", "trigger-elicitation-request", "get-roots-list"]));
    const sampled = await client.callTool({ name: "trigger-sampling-request", arguments: { prompt: "Hi" } });
    expect(JSON.stringify(sampled.content)).toContain("sampled");
    const elicited = await client.callTool({ name: "trigger-elicitation-request", arguments: {} });
    expect(JSON.stringify(elicited.content)).toContain("Ada");
    await client.close();
  });

  it("gives up a session that the client deletes, and answers 404 to it from then on", async () => {
    const headers = await session("everything");
    expect((await send("everything", request("tools/list"), { headers })).status).toBe(200);
    expect((await send("everything", null, { headers, method: "DELETE" })).ok).toBe(true);
    expect((await send("everything", request("tools/list"), { headers })).status).toBeGreaterThanOrEqual(400);
  });

  it("returns a lost session to the client, which can start a new one", async () => {
    const headers = await session("everything");
    await restart("everything:proxy");
    const answer = await send("everything", request("tools/list"), { headers });
    // This server returns 400 where the specification requires 404. The proxy passes its status on.
    expect(answer.status).toBe(400);
    expect((await send("everything", INITIALIZE)).status).toBe(200);
  });
});

describe("server-everything over SSE", async () => {
  await addServer("everything-sse", { type: "sse", url: await realServer("everything-sse") });

  it("offers its tools, and calls them with progress", async () => {
    const client = await connect("everything-sse", "sse");
    expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(13);
    const echo = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    expect(JSON.stringify(echo.content)).toContain("hello");
    const seen: number[] = [];
    await client.callTool(
      { name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    // In this runtime the library's SSE client delivers events twice, even without the proxy.
    expect([...new Set(seen)]).toEqual([1, 2, 3]);
    await client.close();
  });

  it("answers a message of the newer transport with 405, so that clients fall back", async () => {
    const answer = await send("everything-sse", INITIALIZE);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET");
  });
});
