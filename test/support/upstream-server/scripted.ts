// A server that says what a test told it to, byte for byte: `/scripted/<name>`. Whatever it was not told is answered well.

import type { IncomingMessage, ServerResponse } from "node:http";

/** An answer as it goes over the wire. `@id` in it becomes the id of the request, as JSON, and `@token` what its progress is told under. */
export interface Line {
  status?: number;
  headers?: Record<string, string>;
  /** One body, or the pieces in which it comes. */
  body?: string | string[];
  /** Stays open after it. */
  stands?: boolean;
}

/** Answers by the message's method (or `GET` for the stream), or by `tools/call <name>`. */
export type Script = Record<string, Line>;

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; _meta?: { progressToken?: string | number } };
}

const scripts = new Map<string, Script>();

const json = (result: object): Line => ({
  headers: { "content-type": "application/json" },
  body: `{"jsonrpc":"2.0","id":@id,"result":${JSON.stringify(result)}}`,
});
const WELL: Script = {
  initialize: json({
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1" },
  }),
  "tools/list": json({ tools: [{ name: "echo", description: "Echoes.", inputSchema: { type: "object" } }] }),
  "tools/call": json({ content: [{ type: "text", text: "well" }] }),
  "server/discover": {
    status: 400,
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":@id,"error":{"code":-32601,"message":"Method not found"}}',
  },
};

/** Answers a request to `/scripted/<name>`; a PUT to it tells what to say from then on. */
export async function answerScripted(
  name: string,
  text: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "PUT") {
    scripts.set(name, JSON.parse(text));
    response.end();
    return;
  }
  const message: Message = text === "" ? {} : JSON.parse(text);
  const { id, method = request.method ?? "", params } = message;
  const script = scripts.get(name) ?? {};
  const line = script[`${method} ${params?.name}`] ?? script[method] ?? WELL[method] ?? { status: 202 };
  response.writeHead(line.status ?? 200, line.headers ?? {});
  const pieces = [line.body ?? ""].flat();
  for (const piece of pieces) {
    // Each piece is a read of its own on the other side, as far as anybody can tell the network so.
    const said = piece
      .replaceAll("@id", JSON.stringify(id ?? null))
      .replaceAll("@token", JSON.stringify(params?._meta?.progressToken ?? 0));
    if (said !== "") await new Promise<void>((resolve) => response.write(said, () => setTimeout(resolve, 5)));
  }
  if (line.stands !== true) response.end();
}
