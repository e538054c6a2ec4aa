// Relays requests between a host and the gateway, and records them with their response times.

import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";

export interface Relay {
  url: string;
  /** MCP methods with the milliseconds until the response was complete. Unfinished requests are not included. */
  waits: { method: string; ms: number }[];
  close(): void;
}

const messageSchema = z.object({ method: z.string() });

export async function startRelay(gateway: string): Promise<Relay> {
  const waits: Relay["waits"] = [];
  const server = createServer(async (asked, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const start = performance.now();
    const to = new URL(asked.url ?? "/", gateway);
    const onward = request(
      to.href,
      { method: asked.method, headers: { ...asked.headers, host: to.host } },
      (answered) => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(answer);
        answered.once("end", () => waits.push({ method: methodIn(body), ms: performance.now() - start }));
      },
    );
    onward.once("error", () => answer.destroy());
    answer.once("close", () => onward.destroy());
    onward.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    waits,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function methodIn(body: Buffer): string {
  try {
    return messageSchema.parse(JSON.parse(body.toString())).method;
  } catch {
    return "nothing of MCP";
  }
}
