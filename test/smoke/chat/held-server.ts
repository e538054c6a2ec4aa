// An MCP server that counts its calls and blocks them until a test releases them.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startFaults } from "../../support/upstream-server/faults";

export interface HeldServer {
  url: string;
  /** Resolves when the first call arrives. */
  called: Promise<void>;
  calls(): number;
  letGo(): void;
  close(): void;
}

/** Forwards all requests to a server with the tool `echo`. */
export async function startHeldServer(): Promise<HeldServer> {
  const behind = await startFaults();
  const called = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  let calls = 0;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    if (body.includes('"tools/call"')) {
      calls++;
      called.resolve();
      await free.promise;
    }
    const { method = "GET" } = request;
    const answer = await fetch(`${behind.url}/scripted/held`, {
      method,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    response.end(await answer.text());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    called: called.promise,
    calls: () => calls,
    letGo: () => free.resolve(),
    close() {
      server.closeAllConnections();
      server.close();
      behind.close();
    },
  };
}
