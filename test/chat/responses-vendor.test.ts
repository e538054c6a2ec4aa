// The Responses API with a vendor: requests to it, responses after cut or failed steps, and actions that must run only once.

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { failing, HOST, type Reply, scriptModel } from "../support/scripted-model";

const RESPONSES = "/openai/v1/responses";
const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const ENTRY = { api: ["openai-responses"], base_url: `https://${HOST}/v1`, model: "vendor-model-1" };

type Item = Record<string, unknown> & { type: string };
const thought = (step: string) => ({
  type: "reasoning",
  id: `rs_${step}`,
  summary: [],
  encrypted_content: `s-${step}`,
});
const words = (step: string, text: string) => ({
  ...{ type: "message", id: `msg_${step}`, role: "assistant", status: "completed", x_new: { of: step } },
  content: [{ type: "output_text", text, annotations: [] }],
});
const calls = (step: string, id: string, name: string, input: object) => ({
  ...{
    type: "function_call",
    id: `fc_${step}_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  },
});
const load = (step: string, id = "call_1", name = "load_skill") => calls(step, id, name, { skill_name: "haiku" });

const eventsOf = (events: object[]): Reply => {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return () => new Response(text, { headers: { "content-type": "text/event-stream" } });
};

/** A step with these items. */
function step(id: string, output: Item[], end: object = { status: "completed" }, type = "response.completed"): Reply {
  const response = { id: `resp_${id}`, object: "response", created_at: 7, model: "vendor-model-1" };
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    output_tokens_details: { reasoning_tokens: 2 },
  };
  return eventsOf([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type, response: { ...response, output, usage, ...end } },
  ]);
}

let users = 0;

async function user(entry: object = ENTRY): Promise<string> {
  const key = await keyFor(`items-user-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  await call("PUT", "/api/v1/models/m", { key, json: entry });
  return key;
}

const send = (key: string, input: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  call("POST", RESPONSES, { key, json: { model: "m", input, ...more }, headers });

interface Answer {
  id: string;
  status: string;
  output: Item[];
  usage: object;
  incomplete_details?: object;
}
async function ask(key: string, input: unknown, more: object = {}, headers: Record<string, string> = {}) {
  const answer = await send(key, input, more, headers);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json<Answer>();
}

afterEach(() => vi.restoreAllMocks());

it("without a skill, and with nothing to keep, the vendor's bytes come back", async () => {
  const key = await keyFor("items-bare");
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  const odd = `event: x\r\ndata: {"type":"response.created",  "n":1.0}\r\n\r\n: a comment\n\ndata: {"é":1}\n\n`;
  const sent = scriptModel(() => new Response(odd, { headers: { "content-type": "text/event-stream" } }));
  const answer = await send(key, "Hi", { stream: true, store: false, unknown_field: [1] });
  expect(await answer.text()).toBe(odd);
  expect(sent[0]!.body).toEqual({ stream: true, store: false, unknown_field: [1], input: "Hi", model: ENTRY.model });
});

it("what the vendor wrote goes back as it came, each request begins with the one before, and usage adds up", async () => {
  const key = await user();
  const sent = scriptModel(
    step("a", [thought("a"), words("a", "Let me see."), load("a")]),
    step("b", [thought("b"), words("b", "A haiku.")]),
    step("c", [words("c", "Another.")]),
  );
  const first = await ask(key, "One.");
  expect(first.output.map(({ id }) => id)).toEqual(["rs_a", "msg_a", "rs_b", "msg_b"]);
  expect([first.id, first.usage]).toEqual([
    "resp_a",
    { input_tokens: 20, output_tokens: 10, total_tokens: 30, output_tokens_details: { reasoning_tokens: 4 } },
  ]);
  await ask(key, [{ role: "user", content: "One." }, ...first.output, { role: "user", content: "Two." }]);
  const inputs = sent.map(({ body }) => (body.input as object[]).map((item) => JSON.stringify(item)));
  for (const [index, input] of inputs.entries())
    expect(input.slice(0, inputs[index - 1]?.length ?? 0)).toEqual(inputs[index - 1] ?? []);
  for (const item of [thought("a"), words("a", "Let me see."), load("a"), thought("b"), words("b", "A haiku.")])
    expect(inputs[2]).toContain(JSON.stringify(item));
});

describe("a step that does not come to its end", () => {
  it("ends for length as the vendor ends it, and runs nothing", async () => {
    const key = await user();
    const details = { incomplete_details: { reason: "max_output_tokens" } };
    const cut = { ...load("a"), arguments: '{"skill', status: "incomplete" };
    const sent = scriptModel(
      step("a", [words("a", "Half"), thought("a"), cut], { status: "incomplete", ...details }, "response.incomplete"),
    );
    const answer = await ask(key, "One.");
    expect([answer.status, answer.incomplete_details, answer.output.map(({ id }) => id)]).toEqual([
      "incomplete",
      details.incomplete_details,
      ["msg_a"],
    ]);
    expect(sent).toHaveLength(1);
  });

  it("fails in the vendor's format, and continues where it stopped when it is sent again", async () => {
    const key = await user();
    const named = { "x-conversation-id": "work" };
    const broken = eventsOf([{ type: "response.created", response: { id: "resp_b", output: [] } }]);
    const sent = scriptModel(
      step("a", [thought("a"), words("a", "First."), load("a")]),
      broken,
      step("c", [words("c", "Done.")]),
    );
    const text = await (await send(key, "One.", { stream: true }, named)).text();
    const last = JSON.parse(text.trim().split("\ndata: ").at(-1)!);
    expect(last).toMatchObject({
      type: "response.failed",
      response: { id: "resp_a", status: "failed", error: { code: "server_error" } },
    });
    expect(last.response.output.map(({ id }: Item) => id)).toEqual(["rs_a", "msg_a"]);
    expect(text).not.toContain("response.completed");
    const again = await ask(key, "One.", {}, named);
    expect(again.output.map(({ id }) => id)).toEqual(["msg_a", "msg_c"]);
    const types = (sent[2]!.body.input as Item[]).map(({ type }) => type);
    expect(types.slice(-4)).toEqual(["reasoning", "message", "function_call", "function_call_output"]);
    const events = await (await call("GET", "/api/v1/conversations/work/events", { key })).json<{ events: Item[] }>();
    expect(events.events.map(({ type }) => type)).toEqual(["turn", "loaded"]);
  });

  it("passes on the vendor's errors in its stream, and its status before the stream", async () => {
    const key = await user();
    const error = { code: "server_error", message: "Out of tea." };
    const failed = [{ type: "response.failed", response: { id: "r", status: "failed", error } }];
    scriptModel(eventsOf(failed), eventsOf([{ type: "error", ...error, param: null }]), failing(429));
    for (const _ of [1, 2]) {
      const answer = await send(key, "One.");
      expect([answer.status, await answer.json()]).toMatchObject([502, { error }]);
    }
    expect((await send(key, "One.")).status).toBe(429);
  });
});

describe("what a loop would break", () => {
  it("gives out the last step's text alone where a form was asked for", async () => {
    const key = await user();
    scriptModel(step("a", [words("a", "Aloud."), load("a")]), step("b", [thought("b"), words("b", '{"ok":true}')]));
    const text = { format: { type: "json_schema", name: "x", schema: {} } };
    const answer = await ask(key, "One.", { text });
    expect(answer.output.map(({ id }) => id)).toEqual(["rs_b", "msg_b"]);
  });

  it("keeps the name of the caller's tool, and the model's order of both kinds of calls", async () => {
    const key = await user();
    const mine = { type: "function", name: "load_skill", parameters: { type: "object" }, strict: false };
    const both = [thought("a"), calls("a", "call_t", "load_skill", {}), load("a", "call_o", "skills_load_skill")];
    const sent = scriptModel(step("a", both), step("b", [words("b", "Fine.")]));
    const first = await ask(key, "One.", { tools: [mine] });
    expect(first.output.map(({ id }) => id)).toEqual(["rs_a", "fc_a_call_t"]);
    const output = { type: "function_call_output", call_id: "call_t", output: "mine" };
    const opening = { role: "user", content: "One." };
    await ask(key, [opening, ...first.output, output], { tools: [mine] });
    const back = (sent[1]!.body.input as Item[]).slice(-5);
    expect(back.map(({ type, call_id }) => [type, call_id])).toEqual([
      ["reasoning", undefined],
      ["function_call", "call_t"],
      ["function_call", "call_o"],
      ["function_call_output", "call_t"],
      ["function_call_output", "call_o"],
    ]);
  });

  it("calls nothing in the last step", async () => {
    const key = await user();
    const steps = Array.from({ length: 15 }, (_, n) =>
      step(`s${n}`, [calls(`s${n}`, `c_${n}`, "read_skill", { skill_name: "haiku" })]),
    );
    const sent = scriptModel(...steps, step("end", [words("end", "Enough."), load("end")]));
    const answer = await ask(key, "Two.", { tool_choice: "auto", parallel_tool_calls: false, truncation: "auto" });
    expect(answer.output.map(({ id }) => id)).toEqual(["msg_end"]);
    expect(sent.map(({ body }) => body.tool_choice)).toEqual([...Array(15).fill("auto"), "none"]);
    expect(sent.every(({ body }) => body.parallel_tool_calls === false && body.truncation === "auto")).toBe(true);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1);
  });
});
