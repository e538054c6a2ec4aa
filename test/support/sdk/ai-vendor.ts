// The API behind the AI SDK's own gateway, with streams. Records requests and answers by a plan.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { aiAnswer, aiSchema } from "../vendors/ai-gateway";

type Call = { name: string; input: object };

export interface AiVendor {
  url: string;
  bodies: string[];
  plan: Call[][];
  close(): Promise<void>;
}

export async function startAiVendor(): Promise<AiVendor> {
  const vendor: AiVendor = {
    url: "",
    bodies: [],
    plan: [],
    close: () => new Promise((done) => server.close(() => done())),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    vendor.bodies.push(text);
    aiSchema.parse(JSON.parse(text));
    const step = `${vendor.bodies.length}`;
    const answer = aiAnswer({ calls: vendor.plan.shift() ?? [], text: `Said in step ${step}.` }, step) as {
      content: { type: string; text?: string; toolCallId?: string; toolName?: string }[];
      finishReason: unknown;
      usage: unknown;
    };
    const streams = request.headers["ai-language-model-streaming"] === "true";
    response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json" });
    if (!streams) return void response.end(JSON.stringify(answer));
    const parts = answer.content.flatMap((part, index): object[] => {
      if (part.type !== "text") return [part];
      const id = `${index}`;
      const said = part.text ?? "";
      return [
        { type: "text-start", id },
        { type: "text-delta", id, delta: said.slice(0, 3) },
        { type: "text-delta", id, delta: said.slice(3) },
        { type: "text-end", id },
      ];
    });
    const { finishReason, usage } = answer;
    for (const part of [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }])
      response.write(`data: ${JSON.stringify(part)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vendor;
}
