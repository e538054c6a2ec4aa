// A small server of the 2026-07-28 era with deliberate faults: `/modern-<fault>/none`.

import type { IncomingMessage, ServerResponse } from "node:http";

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; _meta?: Record<string, unknown> };
}

const COMPLETE = { resultType: "complete", ttlMs: 120_000, cacheScope: "private" };
const tool = (name: string, properties: object = {}) => ({
  name,
  description: `Tool ${name}.`,
  inputSchema: { type: "object", properties },
});

export async function answerModern(
  fault: string,
  message: Message,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (value: object, status = 200) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  const result = (value: object) => send({ jsonrpc: "2.0", id: message.id, result: value });
  const meta = { _meta: { "io.modelcontextprotocol/serverInfo": { name: "modern", version: "1" } } };
  switch (message.method) {
    case "server/discover":
      return result({ ...COMPLETE, supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...meta });
    case "tools/list": {
      const region = { region: { type: "string", "x-mcp-header": "Region" } };
      const bad = { region: { type: "object", "x-mcp-header": "Region" } };
      return result({ ...COMPLETE, tools: [tool("echo"), tool("slow"), tool("routed", region), tool("bad", bad)] });
    }
    case "tools/call": {
      if (message.params?.name === "slow") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const progressToken = message.params._meta?.progressToken;
        const params = { progressToken, progress: 1, total: 2 };
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n\n`);
        return;
      }
      const content = [{ type: "text", text: JSON.stringify(request.headers) }];
      if (fault === "modern-notype") return result({ content });
      if (fault === "modern-input") {
        const asked = {
          method: "elicitation/create",
          params: { message: "Who?", requestedSchema: { type: "object" } },
        };
        return result({ resultType: "input_required", inputRequests: { who: asked }, requestState: "s" });
      }
      return result({ ...COMPLETE, content });
    }
    default:
      return send(
        { jsonrpc: "2.0", id: message.id ?? null, error: { code: -32601, message: "Method not found" } },
        404,
      );
  }
}
