// A proxy in front of a gateway that passes everything except for planned faults.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Fault {
  /** Requests that the fault applies to. */
  on: RegExp;
  /** A status with `Retry-After: 0`, no response, a response lost on the way, or one that ends after its first event. */
  what: 429 | 503 | "refused" | "lost" | "cut";
}

export class Flaky {
  readonly seen: { method: string; path: string; headers: IncomingMessage["headers"] }[] = [];
  /** The next faults, in order. Each is used once. */
  faults: Fault[] = [];
  /** Called for each request before it is handled. */
  onRequest: (path: string) => void = () => {};
  url = "";
  private readonly server = createServer((request, response) => void this.pass(request, response));

  constructor(private readonly target: () => string) {}

  async start(): Promise<void> {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    this.seen.push({ method, path: url, headers });
    this.onRequest(url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const at = this.faults.findIndex(({ on }) => on.test(url));
    const [fault] = at === -1 ? [] : this.faults.splice(at, 1);
    if (fault?.what === "refused") return void request.socket.destroy();
    if (typeof fault?.what === "number") {
      response.writeHead(fault.what, { "retry-after": "0", "content-type": "application/problem+json" });
      return void response.end(JSON.stringify({ code: "PLANNED", detail: "a planned fault" }));
    }
    const { host: _, connection: __, "content-length": ___, ...rest } = headers;
    const left = new AbortController();
    response.on("close", () => left.abort());
    try {
      const answer = await fetch(`${this.target()}${url}`, {
        method,
        headers: rest as Record<string, string>,
        signal: left.signal,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      if (fault?.what === "lost") {
        await answer.arrayBuffer();
        return void request.socket.destroy();
      }
      const told = Object.fromEntries(answer.headers);
      delete told["content-encoding"];
      delete told["content-length"];
      delete told["transfer-encoding"];
      response.writeHead(answer.status, told);
      for await (const piece of answer.body ?? []) {
        response.write(piece);
        if (fault?.what === "cut") return void request.socket.destroy();
      }
      response.end();
    } catch (error) {
      if (!left.signal.aborted) response.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
