// A chat back end on OpenAI's Chat Completions API. Each argument is one user message and starts one turn.
//
// Written for openai 7.x: npm install openai@7
//
//   GATEWAY_KEY=sgw_… OPENAI_API_KEY=… node examples/openai-chat.mjs "Draw me a flow chart" "Now as a sequence diagram"
//
// For another server with this API, set OPENAI_BASE_URL and MODEL.

import OpenAI from "openai";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, GHOST, MODEL = "gpt-6-sol" } = process.env;
const chat = { id: process.env.CHAT_ID ?? crypto.randomUUID(), user: process.env.CHAT_USER ?? "demo", messages: [] };
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
    body: JSON.stringify({ format: "openai", ...body }),
  });
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

// The back end's own tools, offered together with the gateway's.
const mine = [
  {
    type: "function",
    function: { name: "get_time", description: "The time now.", parameters: { type: "object", properties: {} } },
  },
];
const runMine = (calls) =>
  calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: new Date().toISOString() }));

async function takeTurn(text) {
  const turn = await gateway("turns", {
    key: crypto.randomUUID(), // the id of the user's message, so that a retry does not start a second turn
    history: chat.messages, // used only if the gateway has no state for this conversation
    have: [...told.keys()], // ids of the gateway's texts that the history still contains
    conversation: { ghost: GHOST },
    model: MODEL, // determines the lifetime of the prompt cache
  });
  // Apart from these edits, sent messages never change, so that the prompt cache applies.
  for (const { call_id, append_id, content } of turn.context_edits ?? []) {
    told.get(call_id ?? append_id).content = content;
    told.delete(call_id ?? append_id);
  }
  chat.messages.push({ role: "user", content: text }, ...(turn.append ?? []));
  for (const message of turn.append ?? []) told.set(turn.append_id, message);
  let step = turn;
  while (true) {
    const completion = await openai.chat.completions.create({
      model: MODEL,
      prompt_cache_key: turn.prompt_cache_key,
      messages: [...step.prompt.messages, ...chat.messages],
      tools: [...step.tools, ...mine],
    });
    const answer = completion.choices[0].message;
    chat.messages.push(answer);
    if (!answer.tool_calls?.length) return answer.content;
    step = await gateway("tool-calls", { calls: answer.tool_calls });
    for (const message of step.messages) told.set(message.tool_call_id, message);
    chat.messages.push(...step.messages, ...runMine(step.unhandled));
  }
}

for (const text of process.argv.slice(2)) console.log(await takeTurn(text));
