// A chat back end on Anthropic's Messages API. Each argument is one user message and starts one turn.
//
// Written for @anthropic-ai/sdk 1.x: npm install @anthropic-ai/sdk@1
//
//   GATEWAY_KEY=sgw_… ANTHROPIC_API_KEY=… node examples/anthropic.mjs "Draw me a flow chart" "Now as a sequence diagram"

import Anthropic from "@anthropic-ai/sdk";

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, GHOST, MODEL = "claude-sonnet-5-5" } = process.env;
const chat = { id: process.env.CHAT_ID ?? crypto.randomUUID(), user: process.env.CHAT_USER ?? "demo", messages: [] };
/** Positions of the gateway's texts in the history, by the id of their call or of the appended message. */
const told = new Map();
const anthropic = new Anthropic();

/** Calls the gateway's two routes of a turn: `turns` starts a turn, `tool-calls` runs the tool calls of the model. */
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

// The back end's own tools, offered together with the gateway's.
const mine = [{ name: "get_time", description: "The time now.", input_schema: { type: "object", properties: {} } }];
const runMine = (calls) =>
  calls.map((call) => ({ type: "tool_result", tool_use_id: call.id, content: new Date().toISOString() }));

/**
 * Applies the edits of a turn to the history. Apart from these edits, sent messages never change, so that the prompt cache applies and
 * thinking blocks stay valid.
 */
function edit({ context_edits = [], drop_thinking_before }) {
  for (const { call_id, append_id, content } of context_edits) {
    told.get(call_id ?? append_id).content = content;
    told.delete(call_id ?? append_id);
  }
  if (drop_thinking_before === undefined) return;
  for (const message of chat.messages.filter(({ role }) => role === "assistant"))
    message.content = message.content.filter(({ type }) => !type.endsWith("thinking"));
}

async function takeTurn(text) {
  const turn = await gateway("turns", {
    key: crypto.randomUUID(), // the id of the user's message, so that a retry does not start a second turn
    history: chat.messages, // used only if the gateway has no state for this conversation
    have: [...told.keys()], // ids of the gateway's texts that the history still contains
    conversation: { ghost: GHOST },
    model: MODEL, // determines the lifetime of the prompt cache
  });
  edit(turn);
  chat.messages.push({ role: "user", content: text }, ...(turn.append ?? []));
  for (const message of turn.append ?? []) told.set(turn.append_id, message);
  let step = turn;
  const { cache_control: mark } = turn;
  while (true) {
    const tools = [...step.tools, ...mine];
    const answer = await anthropic.messages.create({
      model: MODEL,
      max_tokens: 4096,
      cache_control: mark?.conversation,
      ...(step.prompt.system && {
        system: [{ type: "text", text: step.prompt.system, cache_control: mark?.system }],
      }),
      messages: chat.messages,
      tools: tools.map((tool, index) => (index === tools.length - 1 ? { ...tool, cache_control: mark?.tools } : tool)),
    });
    chat.messages.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return answer.content.map((block) => block.text).join("");
    step = await gateway("tool-calls", { calls });
    // The API requires all results of a step in one user message.
    const results = step.messages.flatMap((message) => message.content);
    for (const result of results) told.set(result.tool_use_id, result);
    chat.messages.push({ role: "user", content: [...results, ...runMine(step.unhandled)] });
  }
}

for (const text of process.argv.slice(2)) console.log(await takeTurn(text));
