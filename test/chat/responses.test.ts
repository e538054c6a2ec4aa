// The chat endpoint in OpenAI's Responses format with the scripted model: one response from several steps, nothing stored at the vendor,
// and item ids as references.

import { describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";

const RESPONSES = "/openai/v1/responses";
/** Shorter instructions would be preloaded, so nothing would be loaded. */
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;

interface Item {
  type: string;
  id: string;
  role?: string;
  name?: string;
  call_id?: string;
  encrypted_content?: string;
  content?: { type: string; text: string }[];
}
interface Answer {
  id: string;
  status: string;
  output: Item[];
  tools: { name: string }[];
  store: boolean;
  usage: { total_tokens: number; input_tokens: number; output_tokens: number };
}

let users = 0;

async function user(): Promise<string> {
  const key = await keyFor(`responses-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  return key;
}

const say = (content: string) => ({ role: "user", content });
const time = { type: "function", name: "get_time", parameters: { type: "object", properties: {} }, strict: false };

function send(key: string, input: unknown, more: object = {}, headers: Record<string, string> = {}) {
  return call("POST", RESPONSES, { key, json: { model: "demo", input, ...more }, headers });
}

async function ask(key: string, input: unknown, more: object = {}, headers: Record<string, string> = {}) {
  const answer = await send(key, input, more, headers);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  const body = await answer.json<Answer>();
  return { ...body, conversation: answer.headers.get("x-conversation-id") };
}

const textOf = ({ output }: Pick<Answer, "output">) =>
  output.flatMap(({ content }) => (content ?? []).map(({ text }) => text)).join("");
const typesOf = ({ output }: Pick<Answer, "output">) => output.map(({ type }) => type);

describe("with a skill", () => {
  it("shows one response: no call of ours, no thought that led to one, no tool of ours", async () => {
    const answer = await ask(await user(), "Please use haiku.", { tools: [time] });
    expect(typesOf(answer)).toEqual(["reasoning", "message"]);
    expect(textOf(answer)).toContain("Count 5, 7, 5 syllables.");
    expect([answer.status, answer.store, answer.tools.map(({ name }) => name)]).toEqual([
      "completed",
      false,
      ["get_time"],
    ]);
    expect(answer.output[0]).not.toHaveProperty("encrypted_content");
    expect(answer.usage.total_tokens).toBe(answer.usage.input_tokens + answer.usage.output_tokens);
  });

  it("streams events that are numbered without gaps, and ends with the items it streamed", async () => {
    const text = await (await send(await user(), "Please use haiku.", { stream: true })).text();
    const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => ({
      name,
      ...JSON.parse(data ?? ""),
    }));
    expect(events.every(({ name, type }) => name === type)).toBe(true);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(["response.created", "response.in_progress"]);
    expect(types.filter((type) => /created|in_progress|completed/.test(type))).toHaveLength(3);
    expect(types.at(-1)).toBe("response.completed");
    const added = events.filter(({ type }) => type === "response.output_item.added");
    expect(added.map(({ output_index }) => output_index)).toEqual([0, 1]);
    const done = events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
    expect(events.at(-1).response.output).toEqual(done);
    expect(new Set(events.flatMap(({ response }) => response?.id ?? [])).size).toBe(1);
    expect(text).not.toContain("load_skill");
    expect(text).not.toContain("[DONE]");
  });

  it("finds the chat again, and puts the hidden steps back", async () => {
    const key = await user();
    for (const back of [
      // The history as the SDK's users send it, as item ids, and as text only.
      ({ output }: Answer) => output,
      ({ output }: Answer) => output.map(({ id }) => ({ type: "item_reference", id })),
      (answer: Answer) => [{ role: "assistant", content: textOf(answer) }],
    ]) {
      const first = await ask(key, "Please use haiku.");
      const second = await ask(key, [say("Please use haiku."), ...back(first), say("And haiku for snow?")]);
      expect(second.conversation).toBe(first.conversation);
      // The instructions are still in the history, so they are not loaded again.
      expect(textOf(second)).toBe("You said: And haiku for snow?");
    }
  });

  it("returns the caller's own call, and puts its result back in its place", async () => {
    const key = await user();
    const opening = say("Please use haiku, then get_time.");
    const first = await ask(key, [opening], { tools: [time] });
    expect(first.output.at(-1)).toMatchObject({ type: "function_call", name: "get_time" });
    const output = { type: "function_call_output", call_id: first.output.at(-1)?.call_id, output: "noon" };
    const second = await ask(key, [opening, ...first.output, output], { tools: [time] });
    expect(textOf(second)).toContain("The last result: noon");
    const gone = await ask(key, [opening, ...first.output, say("Never mind.")], { tools: [time] });
    expect(textOf(gone)).toContain("You said: Never mind.");
  });

  it("returns encrypted reasoning if requested, and stores reasoning that is not sent back", async () => {
    const key = await user();
    const include = ["reasoning.encrypted_content"];
    const sealed = await ask(key, "Please use haiku.", { include, store: false });
    expect(sealed.output[0]?.encrypted_content).toMatch(/^sealed-/);
    // A chat unknown to this gateway, with reasoning items that no vendor stores: these are left out, and the items that follow them stay.
    const thought = { type: "reasoning", id: "rs_elsewhere", summary: [] };
    const said = { type: "message", id: "msg_elsewhere", role: "assistant", status: "completed" };
    const content = [{ type: "output_text", text: "Elsewhere.", annotations: [] }];
    const other = await ask(key, [say("Hi."), thought, { ...said, content }, say("Hello.")]);
    expect(textOf(other)).toBe("You said: Hello.");
  });
});

describe("nothing is stored at the vendor", () => {
  it("rejects fields that require storage at the vendor", async () => {
    const key = await user();
    for (const [more, status, code, param] of [
      [{ previous_response_id: "resp_1" }, 400, "unsupported_parameter", "previous_response_id"],
      [{ conversation: "conv_1" }, 400, "unsupported_parameter", "conversation"],
      [{ background: true }, 400, "unsupported_parameter", "background"],
      [{ prompt: { id: "pmpt_1" } }, 400, "not_allowed", "prompt"],
      [{ tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }, 400, "not_allowed", "tools"],
      [{ input: [{ type: "item_reference", id: "msg_unknown" }, say("Hi")] }, 404, "item_not_found", "input"],
      [{ input: undefined }, 400, "invalid_request", null],
    ] as const) {
      const answer = await send(key, "Hi", more);
      expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code, param } }]);
    }
    for (const path of ["/resp_1", "/resp_1/cancel", "/compact"]) {
      const answer = await call("POST", RESPONSES + path, { key, json: {} });
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    }
    expect((await ask(key, "Hi", { background: false, previous_response_id: null })).status).toBe("completed");
  });

  it("knows items of its own user only", async () => {
    const [ada, bob] = [await user(), await user()];
    const { output } = await ask(ada, "Please use haiku.");
    const input = [say("Hi."), ...output.map(({ id }) => ({ type: "item_reference", id })), say("More.")];
    expect((await send(bob, input)).status).toBe(404);
    const named = { "x-conversation-id": "bobs" };
    await ask(bob, "Hello.", {}, named);
    expect((await send(bob, input, {}, named)).status).toBe(404);
    expect((await send(ada, input)).status).toBe(200);
  });

  it("stores items that can be referenced later, with and without skills", async () => {
    const key = await keyFor("responses-no-skill");
    const first = await ask(key, "Hello.", { tools: [time], tool_choice: { type: "function", name: "get_time" } });
    const references = first.output.map(({ id }) => ({ type: "item_reference", id }));
    const second = await ask(key, [say("Hello."), ...references, say("Again.")]);
    expect(textOf(second)).toBe("You said: Again.");
    // With `store: false`, the caller receives the vendor's bytes.
    const plain = await send(key, "Hello.", { store: false });
    expect(plain.headers.get("x-skills")).toBe("off; none");
    expect((await send(key, "Hello.", { model: "demo:plain" })).headers.get("x-skills")).toBe("off; off");
  });
});
