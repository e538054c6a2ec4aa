// A chat back end on OpenAI's Chat Completions API. Each argument is what a user says: one turn each.
// Written for openai 7.x: npm install openai@7
//
//   GATEWAY_KEY=sgw_… OPENAI_API_KEY=… node examples/openai-chat.mjs "Draw me a flow chart" "Now as a sequence diagram"
//
// Any server that speaks this API will do: set OPENAI_BASE_URL and MODEL.

import OpenAI from "openai";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, GHOST, MODEL = "gpt-6-sol" } = process.env;
const chat = { id: process.env.CHAT_ID ?? crypto.randomUUID(), user: process.env.CHAT_USER ?? "demo", messages: [] };
/** Where the gateway's texts stand in the history, by the id of their call or of the appended message. */
const told = new Map();
const openai = new OpenAI();

/** The gateway's two routes of a turn: `turns` begins it, `tool-calls` runs what the model asked for. */
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

// The back end's own tools stand beside the gateway's.
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
    key: crypto.randomUUID(), // the id of the user's message: the same turn is never begun twice
    history: chat.messages, // only read when the gateway does not know this conversation
    have: [...told.keys()], // what the history still has of the gateway's texts
    conversation: { ghost: GHOST },
    model: MODEL, // says how long its prompt cache lives
  });
  // Else nothing that was sent ever changes, so that the prompt cache holds.
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
