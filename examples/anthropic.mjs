// A chat back end on Anthropic's Messages API. Each argument is what a user says: one turn each.
// Written for @anthropic-ai/sdk 1.x: npm install @anthropic-ai/sdk@1
//
//   GATEWAY_KEY=sgw_… ANTHROPIC_API_KEY=… node examples/anthropic.mjs "Draw me a flow chart" "Now as a sequence diagram"

import Anthropic from "@anthropic-ai/sdk";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, GHOST, MODEL = "claude-sonnet-5-5" } = process.env;
const chat = { id: process.env.CHAT_ID ?? crypto.randomUUID(), user: process.env.CHAT_USER ?? "demo", messages: [] };
const anthropic = new Anthropic();

/** The gateway's two routes of a turn: `turns` begins it, `tool-calls` runs what the model asked for. */
async function gateway(route, body) {
  const answer = await fetch(`${GATEWAY_URL}/api/v1/conversations/${chat.id}/${route}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${GATEWAY_KEY}`,
      "on-behalf-of": chat.user,
      "content-type": "application/json",
    },
    body: JSON.stringify({ format: "anthropic", ...body }),
  });
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

// The back end's own tools stand beside the gateway's.
const mine = [{ name: "get_time", description: "The time now.", input_schema: { type: "object", properties: {} } }];
const runMine = (calls) =>
  calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: new Date().toISOString() }));

async function takeTurn(text) {
  let step = await gateway("turns", {
    key: crypto.randomUUID(), // the id of the user's message: the same turn is never begun twice
    history: chat.messages, // only read when the gateway does not know this conversation
    conversation: { ghost: GHOST },
  });
  chat.messages.push({ role: "user", content: text });
  while (true) {
    const answer = await anthropic.messages.create({
      model: MODEL,
      max_tokens: 4096,
      ...(step.prompt.system && { system: step.prompt.system }),
      messages: [...step.prompt.messages, ...chat.messages],
      tools: [...step.tools, ...mine],
    });
    chat.messages.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return answer.content.map((block) => block.text).join("");
    step = await gateway("tool-calls", { calls });
    // All results of a step belong into one user message.
    const results = step.messages.flatMap((message) => message.content);
    chat.messages.push({ role: "user", content: [...results, ...runMine(step.unhandled)] });
  }
}

for (const text of process.argv.slice(2)) console.log(await takeTurn(text));
