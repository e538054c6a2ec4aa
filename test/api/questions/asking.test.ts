// Tools that ask the page a question through the requests of the conversation.

import { expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishPublic, talk, textOf } from "../../support/chat-turns";
import { conversationOf, Page } from "../../support/page";
import { providerSkill } from "../../support/provider";

interface Pending {
  request_id: string;
  state: string;
  action: string;
  skill_name: string;
  payload: unknown;
}

it("that requires a page is answered at once where none is connected, whatever the tool does with it", async () => {
  await publishPublic(
    providerSkill("hasty", {
      ask: "return [await context.request('confirm', {}, { require_client: true }), await context.request('confirm', {}, { require_client: true, timeout_ms: 20_000 })]",
      wrong: "return context.request('confirm', {}, { require_client: 'yes' })",
      slow: "return context.request('confirm', {}, { timeout_ms: 50 })",
    }),
  );
  const key = await keyFor("hasty");
  const chat = await talk({ key });
  await chat.load("hasty");
  const none = { success: false, error: "No page is connected to this conversation." };
  // The answer is immediate: a question would wait 29 s, longer than the timeout of this test.
  expect(JSON.parse(textOf(await chat.use("ask")))).toEqual([none, none]);
  // No question was sent, so none is pending for a page that connects later.
  expect(await (await call("GET", `${chat.route}/requests`, { key })).json()).toMatchObject({ items: [] });
  expect(textOf(await chat.use("wrong"))).toContain("require_client of request is not true or false.");
  expect(JSON.parse(textOf(await chat.use("slow")))).toEqual({ success: false, error: "No answer within 0.05s" });
});

it("that requires a page asks the one that is connected", async () => {
  await publishPublic(
    providerSkill("patient", { ask: "return context.request('confirm', {}, { require_client: true })" }),
  );
  const id = await conversationOf(null);
  const page = await Page.greeted(id);
  const calls = (name: string, args: object) =>
    call("POST", `/api/v1/conversations/${id}/tool-calls`, { json: { calls: [{ id: name, name, arguments: args }] } });
  await calls("load_skill", { skill_name: "patient" });
  const asked = calls("ask", {});
  const { request_id } = await page.next("skill:request");
  page.answer(request_id, { success: true, result: "yes" });
  const { results } = await (await asked).json<{ results: { structuredContent: object }[] }>();
  expect(results).toMatchObject([{ structuredContent: { success: true, result: "yes" } }]);
});

const WANTED =
  "{ require_client: true, answer_schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } }";

it.each([
  [
    "a tool",
    providerSkill("strict-tool", {
      ask: `return context.request('confirm', {}, ${WANTED})`,
      wrong: "return context.request('confirm', {}, { answer_schema: () => true })",
    }),
    "ask",
    {},
  ],
  [
    "a script",
    {
      name: "strict-script",
      files: { "scripts/ask.mjs": `export default ({ request }) => request('confirm', {}, ${WANTED});` },
    },
    "execute_skill_script",
    { skill_name: "strict-script", script_path: "scripts/ask.mjs" },
  ],
])("%s says what the answer must be, and hears no other", async (_, skill, name, args) => {
  await publishPublic(skill);
  const id = await conversationOf(null);
  const page = await Page.greeted(id);
  const calls = async (tool: string, given: object) => {
    const json = { calls: [{ id: crypto.randomUUID(), name: tool, arguments: given }] };
    const answer = await call("POST", `/api/v1/conversations/${id}/tool-calls`, { json });
    return JSON.stringify((await answer.json<{ results: object[] }>()).results);
  };
  await calls("load_skill", { skill_name: skill.name });
  const asked = calls(name, args);
  const { request_id } = await page.next("skill:request");
  page.answer(request_id, { success: true, result: { ok: "yes" } });
  expect(await page.next("ack")).toMatchObject({ error: "invalid_answer", problems: [expect.stringContaining("ok")] });
  page.answer(request_id, { success: true, result: { ok: true } });
  const results = await asked;
  expect(results.replaceAll(/\\n|[\\\s]/g, "")).toContain('"ok":true');
  expect(results).not.toContain("yes");
  if (name === "ask")
    expect(await calls("wrong", {})).toContain("answer_schema of request is not a JSON Schema object");
});

it("waits for the page's answer, and a repeated call finds what was asked before", async () => {
  await publishPublic(
    providerSkill("curious", {
      ask: "const first = await context.request('confirm', { question: args.question, request_id: 'req_forged' }); const second = await context.request('confirm', { again: first.result }); return [first, second]",
    }),
  );
  const key = await keyFor("page");
  const chat = await talk({ key });
  await chat.load("curious");
  const { items } = await (await call("GET", "/api/v1/conversations", { key })).json<{ items: { id: string }[] }>();
  const route = `/api/v1/conversations/${items[0]!.id}/requests`;
  const pending = async (count: number): Promise<Pending[]> => {
    for (let tries = 0; tries < 200; tries++) {
      const { items: all } = await (await call("GET", route, { key })).json<{ items: Pending[] }>();
      if (all.length >= count) return all;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error("nothing was asked");
  };
  const answer = (request: Pending, result: unknown) =>
    call("POST", `${route}/${request.request_id}/response`, { key, json: { success: true, result } });

  const asked = chat.use("ask", { question: "Really?" }, "call-a");
  const [first] = await pending(1);
  expect(first).toMatchObject({ state: "pending", action: "confirm", skill_name: "curious" });
  expect(first?.request_id).not.toBe("req_forged");
  expect((await answer(first!, "yes")).status).toBe(200);
  const [second] = (await pending(2)).filter((request) => request.state === "pending");
  expect((await answer(second!, "certainly")).status).toBe(200);
  const result = await asked;
  expect(JSON.parse(textOf(result))).toMatchObject([
    { success: true, result: "yes" },
    { success: true, result: "certainly" },
  ]);
  // Repeating the call returns the same answer without another question.
  expect(await chat.use("ask", { question: "Really?" }, "call-a")).toEqual(result);
  expect((await pending(2)).length).toBe(2);
});
