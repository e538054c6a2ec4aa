// The transparent proxy on a real gateway: when the client disconnects, the connection to the server is closed.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { newPlace, start, until } from "./launcher";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server whose responses are endless streams with five events per second. */
async function talker() {
  const open = new Set<string>();
  const server = createServer((request, response) => {
    const method = request.method ?? "";
    open.add(method);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(
      () => response.write('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'),
      200,
    );
    response.on("close", () => {
      clearInterval(timer);
      open.delete(method);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, open };
}

it("closes a server's stream when its client has gone, of a call and a standing one", async () => {
  const { url, open } = await talker();
  const gateway = await start(await newPlace()).ready();
  const entry = { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify({ url }) };
  expect((await gateway.fetch("/api/v1/mcp-servers/talker", entry)).status).toBe(201);
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "talk" } });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  for (const request of [
    { method: "POST", headers, body: call },
    { method: "GET", headers },
  ]) {
    const client = new AbortController();
    const answer = await gateway.fetch("/mcp/servers/talker", { ...request, signal: client.signal });
    const { value } = await answer.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toContain("notifications/message");
    expect([...open]).toEqual([request.method]);
    client.abort();
    await until("the server's stream is closed", () => open.size === 0);
  }
});
