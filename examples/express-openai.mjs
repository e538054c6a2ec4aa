// A chat on Express and OpenAI's Chat Completions that streams, with skills and a tool of its own.
//
//   npm install express openai skill-gateway
//   GATEWAY_KEY=sgw_… OPENAI_API_KEY=… node examples/express-openai.mjs
//   curl -N localhost:3000/chats/42/messages -H 'content-type: application/json' -d '{"text":"Draw me a flow chart"}'

import express from "express";
import OpenAI from "openai";
import { SkillGateway, SkillGatewayError } from "skill-gateway";
import { withSkills } from "skill-gateway/openai";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, MODEL = "gpt-6-sol", PORT = "3000" } = process.env;
const gateway = new SkillGateway({ url: GATEWAY_URL, key: GATEWAY_KEY });
const openai = new OpenAI();
/** Replace with your database. A history is JSON. */
const histories = new Map();

const tools = [
  {
    type: "function",
    function: { name: "get_time", description: "The time now.", parameters: { type: "object", properties: {} } },
  },
];

const app = express();
app.use(express.json());

app.post("/chats/:id/messages", async (request, response) => {
  const user = "demo"; // replace with the signed-in user
  const chat = gateway.chat(`${user}-${request.params.id}`, { user });
  const messages = histories.get(chat.id) ?? [];
  histories.set(chat.id, messages);
  messages.push({ role: "user", content: String(request.body.text) });
  const left = new AbortController();
  response.on("close", () => left.abort());
  try {
    response.type("text/plain");
    for (;;) {
      const { completions } = withSkills(openai, chat).chat;
      const stream = completions.stream({ model: MODEL, messages, tools }, { signal: left.signal });
      stream.on("content", (piece) => response.write(piece));
      const { role, content, tool_calls: calls } = await stream.finalMessage();
      messages.push({ role, content, ...(calls?.length ? { tool_calls: calls } : {}) });
      if (!calls?.length) break;
      // The stream contains only calls of our own tools.
      for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: new Date().toISOString() });
    }
  } catch (error) {
    if (left.signal.aborted) return;
    // The SDK's stream wraps the gateway's error.
    const cause = error.cause ?? error;
    if (!response.headersSent) response.status(cause instanceof SkillGatewayError ? 502 : 500);
    response.write(`${cause.message}\n`);
  }
  response.end();
});

app.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on ${PORT}`));
