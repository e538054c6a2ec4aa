// The WebSocket server of the tests speaks to the WebSocket client of the MCP SDK 1, whose wire format the gateway uses.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { expect, it } from "vitest";
import { startFaults } from "../support/upstream-server/faults";

it("is listed and called by the client of the SDK", async () => {
  const server = await startFaults();
  const client = new Client({ name: "sdk", version: "1.0.0" });
  try {
    await client.connect(new WebSocketClientTransport(new URL(`${server.url.replace(/^http/, "ws")}/socket/well`)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["echo", "headers"]);
    const result = await client.callTool({ name: "echo", arguments: { message: "hello" } });
    expect(result.content).toEqual([{ type: "text", text: "Echo: hello" }]);
  } finally {
    await client.close();
    server.close();
  }
});
