// Tests the gateway's MCP server with the SDK's clients of both lines.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, expect, it } from "vitest";
import { type Gateway, startShared } from "./launcher";

const textOf = (result: unknown) =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text ?? "").join("\n");
const headersOf = ({ key }: Gateway) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startShared();
});

it("the SDK's clients load a skill, call its tool and read its files", async () => {
  const at = (path: string) => new URL(path, gateway.url);

  const old = new ClientV1({ name: "v1", version: "1" });
  // The types of the SDK do not accept the `undefined` that its own transport declares.
  await old.connect(new TransportV1(at("/mcp/v1"), headersOf(gateway)) as Parameters<ClientV1["connect"]>[0]);
  expect(old.getInstructions()).toContain("**json-table**");
  expect((await old.listTools()).tools.map(({ name }) => name)).toContain("call_skill_tool");
  const loaded = await old.callTool({ name: "load_skill", arguments: { skill_name: "mermaid-diagram" } });
  expect(textOf(loaded)).toContain("read_mermaid_reference");
  const call = { name: "read_mermaid_reference", arguments: { name: "flowchart" } };
  expect(textOf(await old.callTool({ name: "call_skill_tool", arguments: call }))).toMatch(/flowchart/i);
  await old.close();

  for (const mode of ["legacy", "auto"] as const) {
    const client = new Client({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(at(`/mcp/v2-${mode}`), headersOf(gateway)));
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    const table = { skill_name: "json-table", script_path: "scripts/table.js", input: '[{"a":1},{"a":2}]' };
    expect(textOf(await client.callTool({ name: "execute_skill_script", arguments: table }))).toContain("| 1 |");
    const { contents } = await client.readResource({ uri: "skill://json-table/scripts/table.js" });
    expect(contents).toMatchObject([{ mimeType: "text/javascript" }]);
    await client.close();
  }
});

it("a call that its host cancels ends at the server that it was passed to", { timeout: 180_000 }, async () => {
  const upstream = await startSilent();
  const entry = JSON.stringify({ url: upstream.url, timeout: 170, era: "legacy" });
  const json = { "content-type": "application/json" };
  const made = await gateway.fetch("/api/v1/mcp-servers/silent", { method: "PUT", headers: json, body: entry });
  expect(made.status).toBe(201);

  const old = new ClientV1({ name: "v1", version: "1" });
  const transport = new TransportV1(new URL("/mcp/cancel-v1", gateway.url), headersOf(gateway));
  await old.connect(transport as Parameters<ClientV1["connect"]>[0]);
  await old.listTools();
  await upstream.cancelled((signal) => old.callTool({ name: "silent__wait", arguments: {} }, undefined, { signal }));
  await old.close();

  for (const mode of ["legacy", "auto"] as const) {
    const client = new Client({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
    const at = new URL(`/mcp/cancel-${mode}`, gateway.url);
    await client.connect(new StreamableHTTPClientTransport(at, headersOf(gateway)));
    await client.listTools();
    await upstream.cancelled((signal) => client.callTool({ name: "silent__wait", arguments: {} }, { signal }));
    await client.close();
  }

  // The same for a back end that closes the stream of its calls.
  await gateway.fetch("/api/v1/conversations/cancel", { method: "PUT", headers: json, body: "{}" });
  await upstream.cancelled(async (signal) => {
    const body = JSON.stringify({ calls: [{ id: "a", name: "silent__wait", arguments: {} }] });
    const headers = { ...json, accept: "text/event-stream" };
    const stream = await gateway.fetch("/api/v1/conversations/cancel/tool-calls", {
      method: "POST",
      headers,
      body,
      signal,
    });
    return stream.text();
  });
  await upstream.close();
});

/** Starts an MCP server with one tool that never answers. */
async function startSilent() {
  let onCall: () => void = () => undefined;
  let onEnd: () => void = () => undefined;
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const answer = (result: object) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    const serverInfo = { name: "silent", version: "1" };
    if (message.method === "initialize")
      return answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
    if (message.method === "tools/list")
      return answer({ tools: [{ name: "wait", inputSchema: { type: "object", properties: {} } }] });
    if (message.method !== "tools/call") return response.writeHead(202).end();
    response.once("close", () => onEnd());
    onCall();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    /** Starts a call, cancels it when it arrives here, and resolves when its connection is closed. */
    async cancelled(call: (signal: AbortSignal) => Promise<unknown>) {
      const cancel = new AbortController();
      const called = new Promise<void>((resolve) => (onCall = resolve));
      const ended = new Promise<void>((resolve) => (onEnd = resolve));
      const result = call(cancel.signal).catch(() => "cancelled");
      await called;
      cancel.abort("not needed any more");
      expect(await result).toBe("cancelled");
      await ended;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
