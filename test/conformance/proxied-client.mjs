// A client of the SDK that reaches the server through the gateway's transparent proxy. The suite appends the server's address.

import { randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { callsOf } from "./calls.mjs";
import { callGateway } from "./stage.mjs";

const gateway = { url: process.env.GATEWAY_URL, key: process.env.GATEWAY_KEY };
const name = `p${randomUUID().slice(0, 8)}`;
const isModern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === "2026-07-28";

await callGateway(gateway, "PUT", `/api/v1/mcp-servers/${name}`, { url: process.argv.at(-1), timeout: 20 });
try {
  const client = new Client(
    { name: "conformance", version: "1.0.0" },
    {
      versionNegotiation: { mode: isModern ? "auto" : "legacy" },
      capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }));
  const headers = { authorization: `Bearer ${gateway.key}` };
  const url = new URL(`/mcp/servers/${name}`, gateway.url);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const { tools } = client.getServerCapabilities()?.tools === undefined ? { tools: [] } : await client.listTools();
  for (const one of callsOf(tools)) console.log(JSON.stringify(await client.callTool(one)));
  await client.close();
} finally {
  await callGateway(gateway, "DELETE", `/api/v1/mcp-servers/${name}`);
}
