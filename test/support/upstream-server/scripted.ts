// A server that sends the responses of a test byte for byte: `/scripted/<name>`. Other requests receive a valid default response.

import type { IncomingMessage, ServerResponse } from "node:http";

/** A response on the wire. `@id` is replaced by the request id as JSON, and `@token` by the progress token. */
export interface Line {
  status?: number;
  headers?: Record<string, string>;
  /** One body, or the pieces in which it is sent. */
  body?: string | string[];
  /** Whether the connection stays open afterwards. */
  stands?: boolean;
}

/** Responses by method (or `GET` for the stream), or by `tools/call <name>` and `resources/read <uri>`. */
export type Script = Record<string, Line>;

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; uri?: string; _meta?: { progressToken?: string | number } };
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

/** Answers a request to `/scripted/<name>`. A PUT sets the script. */
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
  const line = script[`${method} ${params?.name ?? params?.uri}`] ?? script[method] ?? WELL[method] ?? { status: 202 };
  response.writeHead(line.status ?? 200, line.headers ?? {});
  const pieces = [line.body ?? ""].flat();
  for (const piece of pieces) {
    // Each piece is sent as a separate write, so that the client usually receives it in a separate read.
    const said = piece
      .replaceAll("@id", JSON.stringify(id ?? null))
      .replaceAll("@token", JSON.stringify(params?._meta?.progressToken ?? 0));
    if (said !== "") await new Promise<void>((resolve) => response.write(said, () => setTimeout(resolve, 5)));
  }
  if (line.stands !== true) response.end();
}
