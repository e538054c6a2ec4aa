// A chat back end on the AI SDK, with any model that the SDK supports. Each argument is one user message and starts one turn.
//
// Written for ai 7.x, which needs Node 22: npm install ai@7
//
//   GATEWAY_KEY=sgw_… AI_GATEWAY_API_KEY=… node examples/ai-sdk.mjs "Draw me a flow chart" "Now as a sequence diagram"

import { readFile } from "node:fs/promises";
import { createGateway, generateText, jsonSchema, tool } from "ai";

// ai 6 and older call the option `system` and silently ignore `instructions`. The model would not receive its skills.
const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.resolve("ai")), "utf8"));
if (!version.startsWith("7."))
  throw new Error(`This example is for ai 7, and ai ${version} is installed: npm install ai@7`);

const { GATEWAY_URL = "http://127.0.0.1:8787", GATEWAY_KEY, GHOST, MODEL = "openai/gpt-6-sol" } = process.env;
const chat = { id: process.env.CHAT_ID ?? crypto.randomUUID(), user: process.env.CHAT_USER ?? "demo", messages: [] };
/** Positions of the gateway's texts in the history, by the id of their call or of the appended message. */
const told = new Map();
// Or `openai("gpt-6-sol")` of @ai-sdk/openai, `anthropic(…)` of @ai-sdk/anthropic and so on.
const model = createGateway({ baseURL: process.env.AI_GATEWAY_BASE_URL })(MODEL);

/** Calls the gateway's two routes of a turn: `turns` starts a turn, `tool-calls` runs the tool calls of the model. */
async function gateway(route, body) {
  const answer = await fetch(`${GATEWAY_URL}/api/v1/conversations/${chat.id}/${route}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${GATEWAY_KEY}`,
      "on-behalf-of": chat.user,
      "content-type": "application/json",
    },
    body: JSON.stringify({ format: "mcp", ...body }),
  });
  if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Tools without `execute`: the SDK returns their calls, and the gateway runs its own. */
const toolSet = (definitions) =>
  Object.fromEntries(
    definitions.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );

// The back end's own tools, offered together with the gateway's.
const mine = [{ name: "get_time", description: "The time now.", inputSchema: { type: "object", properties: {} } }];
const runMine = (calls) =>
  calls.map(({ toolCallId, toolName }) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: new Date().toISOString() } }],
  }));

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
    if (call_id) told.get(call_id).output = { type: "text", value: content };
    else told.get(append_id).content[0].text = content;
    told.delete(call_id ?? append_id);
  }
  // The content of an MCP message is one block. The SDK requires a list.
  const append = (turn.append ?? []).map(({ role, content }) => ({ role, content: [content] }));
  chat.messages.push({ role: "user", content: text }, ...append);
  for (const message of append) told.set(turn.append_id, message);
  let step = turn;
  while (true) {
    const answer = await generateText({
      model,
      ...(step.prompt.system && { instructions: step.prompt.system }),
      messages: chat.messages,
      tools: toolSet([...step.tools, ...mine]),
    });
    chat.messages.push(...answer.response.messages);
    if (answer.toolCalls.length === 0) return answer.text;
    step = await gateway("tool-calls", { calls: answer.toolCalls });
    for (const result of step.messages.flatMap(({ content }) => content)) told.set(result.toolCallId, result);
    chat.messages.push(...step.messages, ...runMine(step.unhandled));
  }
}

for (const text of process.argv.slice(2)) console.log(await takeTurn(text));
