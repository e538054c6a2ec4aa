// A chat on Fastify and Anthropic's Messages that streams, with skills and a tool of its own.
//
//   npm install fastify @anthropic-ai/sdk skill-gateway
//   GATEWAY_KEY=sgw_… ANTHROPIC_API_KEY=… node examples/fastify-anthropic.mjs
//   curl -N localhost:3000/chats/42/messages -H 'content-type: application/json' -d '{"text":"Draw me a flow chart"}'

import { Readable } from "node:stream";
import Anthropic from "@anthropic-ai/sdk";
import Fastify from "fastify";
import { SkillGateway } from "skill-gateway";
import { withSkills } from "skill-gateway/anthropic";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, MODEL = "claude-sonnet-5-5", PORT = "3000" } = process.env;
const gateway = new SkillGateway({ url: GATEWAY_URL, key: GATEWAY_KEY });
const anthropic = new Anthropic();
/** Replace with your database. A history is JSON. */
const histories = new Map();

const tools = [{ name: "get_time", description: "The time now.", input_schema: { type: "object", properties: {} } }];

/** Runs one turn and yields the text as it is streamed. */
async function* reply(chat, messages, signal) {
  for (;;) {
    const body = { model: MODEL, max_tokens: 4096, messages, tools };
    const stream = withSkills(anthropic, chat).messages.stream(body, { signal });
    for await (const { type, delta } of stream)
      if (type === "content_block_delta" && delta.type === "text_delta") yield delta.text;
    const { content } = await stream.finalMessage();
    messages.push({ role: "assistant", content });
    // The stream contains only calls of our own tools.
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return;
    const now = new Date().toISOString();
    messages.push({
      role: "user",
      content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: now })),
    });
  }
}

const app = Fastify();

app.post("/chats/:id/messages", (request, response) => {
  const user = "demo"; // replace with the signed-in user
  const chat = gateway.chat(`${user}-${request.params.id}`, { user });
  const messages = histories.get(chat.id) ?? [];
  histories.set(chat.id, messages);
  messages.push({ role: "user", content: String(request.body.text) });
  const left = new AbortController();
  response.raw.on("close", () => left.abort());
  return response.type("text/plain; charset=utf-8").send(Readable.from(reply(chat, messages, left.signal)));
});

await app.listen({ port: Number(PORT), host: "127.0.0.1" });
console.log(`listening on ${PORT}`);
