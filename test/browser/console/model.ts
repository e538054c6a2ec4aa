// A simulated model. A word in the last message selects its answer.

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Model {
  url: string;
  close(): Promise<void>;
}

/** Hostile output of a model. */
export const HOSTILE = `# Hostile \u202Etxt.exe\u202C \u{E0041}

<script>alert("script")</script> <img src=x onerror='alert("onerror")'> <iframe src="https://evil.example/frame"></iframe>
[run](javascript:alert(1)) [away](https://evil.example/x) [data](data:text/html,<script>alert(2)</script>)
![far](https://evil.example/pixel.png) ![api](/api/v1/me)
<svg onload="alert(4)"><a href="javascript:alert(5)">x</a></svg> <form id="console" name="location"></form>`;

/**
 * Streams in the format of OpenAI: `slow` never ends, `refuse` fails, `break` closes the connection midway, `hostile` streams `HOSTILE`.
 */
export async function startModel(): Promise<Model> {
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages = [] } = JSON.parse(`${Buffer.concat(chunks)}` || "{}") as { messages?: { content: unknown }[] };
    const said = JSON.stringify(messages.at(-1)?.content ?? "");
    if (said.includes("refuse")) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { message: "The model refuses this.", type: "invalid_request_error", code: "no" } }),
      );
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (said.includes("slow")) return drip(response);
    say(response, said.includes("hostile") ? HOSTILE : `The model heard ${messages.length} messages.`);
    if (said.includes("break")) return void setTimeout(() => response.destroy(), 500);
    write(response, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    response.end("data: [DONE]\n\n");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const write = (response: ServerResponse, chunk: object) =>
  response.write(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...chunk })}\n\n`,
  );

const say = (response: ServerResponse, content: string) =>
  write(response, { choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] });

/** Sends a word at short intervals until the client disconnects. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => say(response, "word "), 100);
  response.on("close", () => clearInterval(timer));
}
