// The chat endpoint sends the user's message with the turn, so that a skill can be predicted. The chat's client does nothing for it.

import { beforeEach, expect, it } from "vitest";
import { call } from "../support/call";
import { predictedUser, predictionsIn, SLOW } from "../support/predicted";
import { clearRegistry } from "../support/registry";

beforeEach(clearRegistry);

const user = (content: unknown) => ({ role: "user", content });
const REQUESTS: [string, string, (content: string) => object][] = [
  ["chat completions", "/openai/v1/chat/completions", (text) => ({ messages: [user(text)] })],
  [
    "chat completions with parts",
    "/openai/v1/chat/completions",
    (text) => ({ messages: [user([{ type: "text", text }])] }),
  ],
  ["responses", "/openai/v1/responses", (text) => ({ input: text })],
  ["responses with parts", "/openai/v1/responses", (text) => ({ input: [user([{ type: "input_text", text }])] })],
  ["messages", "/anthropic/v1/messages", (text) => ({ max_tokens: 100, messages: [user(text)] })],
];

const send = (as: string, path: string, body: object) =>
  call("POST", path, { as, json: { model: "demo", ...body }, headers: { "x-conversation-id": "c" } });

it.each(REQUESTS)("%s: predicts the skill of the last message", async (_, path, body) => {
  const { user: someone } = await predictedUser(200);
  const answer = await send(someone.name, path, body(SLOW));
  expect(answer.status, await answer.text()).toBe(200);
  expect((await predictionsIn(someone, "c")).map((one) => one?.skill?.name)).toEqual(["postgres"]);
});

it.each(REQUESTS)("%s: appends the skill for the model", async (_, path, body) => {
  const { user: someone } = await predictedUser(200);
  await someone.put("/c", { predict: "on" });
  await (await send(someone.name, path, body(SLOW))).text();
  const { active } = await someone.get("/c");
  expect(active.map(({ skill, reason }) => [skill, reason])).toEqual([["postgres", "predicted"]]);
});

it("predicts nothing in a request that adds no skills", async () => {
  const { user: someone } = await predictedUser(200);
  await someone.put("/c", { predict: "on" });
  const body = { messages: [user(SLOW)], tool_choice: "none" };
  expect((await send(someone.name, "/openai/v1/chat/completions", body)).status).toBe(200);
  expect((await someone.get("/c")).active).toEqual([]);
});
