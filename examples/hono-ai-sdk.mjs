// The route of a page with `useChat`, on Hono and the AI SDK, with skills and a tool of its own. The page keeps the messages.
//
//   npm install hono @hono/node-server ai skill-gateway
//   GATEWAY_KEY=sgw_… AI_GATEWAY_API_KEY=… node examples/hono-ai-sdk.mjs

import { serve } from "@hono/node-server";
import { convertToModelMessages, createGateway, jsonSchema, streamText, tool } from "ai";
import { Hono } from "hono";
import { SkillGateway } from "skill-gateway";
import { aiSdk } from "skill-gateway/ai-sdk";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, MODEL = "openai/gpt-6-sol", PORT = "3000" } = process.env;
const gateway = new SkillGateway({ url: GATEWAY_URL, key: GATEWAY_KEY });
// Or `openai("gpt-6-sol")` of @ai-sdk/openai, `anthropic(…)` of @ai-sdk/anthropic and so on.
const models = createGateway({ baseURL: process.env.AI_GATEWAY_BASE_URL });

const tools = {
  get_time: tool({
    description: "The time now.",
    inputSchema: jsonSchema({ type: "object", properties: {} }),
    execute: async () => new Date().toISOString(),
  }),
};

const app = new Hono();
app.onError((error, c) => c.text(error.message, 502));

app.post("/api/chat", async (c) => {
  const user = "demo"; // replace with the signed-in user
  const { id, messages } = await c.req.json();
  const { signal } = c.req.raw;
  const result = streamText({
    model: models(MODEL),
    ...(await aiSdk(gateway.chat(`${user}-${id}`, { user }), {
      messages: await convertToModelMessages(messages),
      tools,
      model: MODEL.split("/").at(-1),
      abortSignal: signal,
    })),
    abortSignal: signal,
  });
  return result.toUIMessageStreamResponse({ originalMessages: messages });
});

// If @hono/node-server replaces Node's `Response`, it cannot send the responses of the AI SDK.
const server = { fetch: app.fetch, port: Number(PORT), hostname: "127.0.0.1", overrideGlobalObjects: false };
serve(server, () => console.log(`listening on ${PORT}`));
