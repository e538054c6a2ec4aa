// The npm package mcp-proxy as a library: an HTTP server before another one. Run with the server's URL and a port.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { proxyServer, startHTTPServer } from "mcp-proxy";

const [url, port] = process.argv.slice(2);
const client = new Client({ name: "mcp-proxy", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const capabilities = client.getServerCapabilities();

await startHTTPServer({
  host: "127.0.0.1",
  port: Number(port),
  async createServer() {
    const server = new Server(client.getServerVersion(), { capabilities });
    await proxyServer({ client, server, serverCapabilities: capabilities });
    return server;
  },
});
