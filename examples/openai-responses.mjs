// A chat back end on OpenAI's Responses API. Each argument is one user message and starts one turn.
//
// Written for openai 7.x: npm install openai@7
//
//   GATEWAY_KEY=sgw_… OPENAI_API_KEY=… node examples/openai-responses.mjs "Draw me a flow chart" "Now as a sequence diagram"

import OpenAI from "openai";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, GHOST, MODEL = "gpt-6-sol" } = process.env;
const chat = { id: process.env.CHAT_ID ?? crypto.randomUUID(), user: process.env.CHAT_USER ?? "demo", items: [] };
/** Positions of the gateway's texts in the history, by the id of their call or of the appended message. */
const told = new Map();
const openai = new OpenAI();

/** Calls the gateway's two routes of a turn: `turns` starts a turn, `tool-calls` runs the tool calls of the model. */
async function gateway(route, body) {
  const answer = await fetch(`${GATEWAY_URL}/api/v1/conversations/${chat.id}/${route}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${GATEWAY_KEY}`,
      "on-behalf-of": chat.user,
      "content-type": "application/json",
    },
    body: JSON.stringify({ format: "openai-responses", ...body }),
  });
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

// The back end's own tools, offered together with the gateway's.
const mine = [
  {
    type: "function",
    name: "get_time",
    description: "The time now.",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    strict: false,
  },
];
const runMine = (calls) =>
  calls.map((call) => ({ type: "function_call_output", call_id: call.call_id, output: new Date().toISOString() }));

async function takeTurn(text) {
  const turn = await gateway("turns", {
    key: crypto.randomUUID(), // the id of the user's message, so that a retry does not start a second turn
    history: chat.items, // used only if the gateway has no state for this conversation
    have: [...told.keys()], // ids of the gateway's texts that the history still contains
    conversation: { ghost: GHOST },
    model: MODEL, // determines the lifetime of the prompt cache
  });
  // Apart from these edits, sent messages never change, so that the prompt cache applies.
  for (const { call_id, append_id, content } of turn.context_edits ?? []) {
    told.get(call_id ?? append_id)[call_id ? "output" : "content"] = content;
    told.delete(call_id ?? append_id);
  }
  chat.items.push({ role: "user", content: text }, ...(turn.append ?? []));
  for (const message of turn.append ?? []) told.set(turn.append_id, message);
  let step = turn;
  while (true) {
    const response = await openai.responses.create({
      model: MODEL,
      prompt_cache_key: turn.prompt_cache_key,
      input: [...step.prompt.messages, ...chat.items],
      tools: [...step.tools, ...mine],
      store: false,
      include: ["reasoning.encrypted_content"],
    });
    chat.items.push(...response.output);
    const calls = response.output.filter((item) => item.type === "function_call");
    if (calls.length === 0) return response.output_text;
    step = await gateway("tool-calls", { calls });
    for (const item of step.messages) told.set(item.call_id, item);
    chat.items.push(...step.messages, ...runMine(step.unhandled));
  }
}

for (const text of process.argv.slice(2)) console.log(await takeTurn(text));
