// The fixture server of the conformance runs: an MCP server with everything that the official suite requires, in both eras. The 2025 era
// has sessions with resumable streams, 2026-07-28 is stateless. It listens on this machine only.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { buildServer } from "./features.mjs";

/** Starts the fixture on this machine. `port` 0: any free one. */
export async function startFixture(port = 0) {
  const modern = createMcpHandler(() => buildServer(modern.notify), { legacy: "reject" });
  const sessions = new Map();
  const server = createServer(async (incoming, outgoing) => {
    try {
      const gone = new AbortController();
      outgoing.on("close", () => gone.abort());
      const request = webRequest(incoming, gone.signal);
      await answer(await serve(request), outgoing);
    } catch (error) {
      // The client disconnected during a stream.
      if (outgoing.destroyed) return;
      outgoing.statusCode = 500;
      outgoing.end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    async close() {
      await modern.close();
      for (const transport of sessions.values()) await transport.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(request) {
    const refused =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (refused !== undefined) return refused;
    if (!(await isLegacyRequest(request))) return modern.fetch(request);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return await openSession(request);
    const transport = sessions.get(id);
    return transport === undefined ? sessionUnknown() : await transport.handleRequest(request);
  }

  /** The transport itself rejects every message that is not `initialize`. */
  async function openSession(request) {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new EventLog(),
      retryInterval: 200,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await buildServer(null).connect(transport);
    return await transport.handleRequest(request);
  }
}

function sessionUnknown() {
  const error = { code: -32001, message: "Session not found" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
}

/** Events of each stream of a session, so that a client can resume it. */
class EventLog {
  #events = [];

  async storeEvent(streamId, message) {
    this.#events.push({ streamId, message });
    return String(this.#events.length);
  }

  async getStreamIdForEventId(eventId) {
    return this.#events[Number(eventId) - 1]?.streamId;
  }

  async replayEventsAfter(lastEventId, { send }) {
    const streamId = await this.getStreamIdForEventId(lastEventId);
    for (const [index, event] of this.#events.entries()) {
      const isPriming = Object.keys(event.message).length === 0;
      if (index >= Number(lastEventId) && event.streamId === streamId && !isPriming) {
        await send(String(index + 1), event.message);
      }
    }
    return streamId;
  }
}

function webRequest(incoming, signal) {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const one of [value].flat()) headers.append(name, one);
  }
  const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD" && incoming.method !== "DELETE";
  return new Request(`http://${incoming.headers.host ?? "localhost"}${incoming.url}`, {
    method: incoming.method,
    headers,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming), duplex: "half" } : {}),
  });
}

async function answer(response, outgoing) {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { port: { type: "string", default: "0" } } });
  const { url } = await startFixture(Number(values.port));
  console.log(`ready ${url}`);
}
