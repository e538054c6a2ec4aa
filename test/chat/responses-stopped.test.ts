// Stopped answers in the Responses API: a front end refers to the received part by its item ids, or sends it back. The completed calls
// follow that part.

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { HOST, type Reply, type Sent, scriptModel } from "../support/scripted-model";

const BODY = `Count 5, 7, 5 syllables.\n\n${"Watch the moon, the frog and the pond. ".repeat(300)}`;
const ENTRY = { api: ["openai-responses"], base_url: `https://${HOST}/v1`, model: "vendor-model-1" };

type Item = Record<string, unknown> & { type: string };
const thought = (step: string): Item => ({ type: "reasoning", id: `rs_${step}`, summary: [], encrypted_content: "s" });
const load: Item = {
  ...{ type: "function_call", id: "fc_a", call_id: "call_1", name: "load_skill" },
  arguments: '{"skill_name":"haiku"}',
};
const said = (step: string, text: string): Item => ({
  ...{ type: "message", id: `msg_${step}`, role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [] }],
});

/** A step with these items. With `cut`, it ends in the middle of the last text, after this part. */
function step(id: string, items: Item[], cut: string | null = null): Reply {
  const response = { id: `resp_${id}`, created_at: 7, model: "vendor-model-1", status: "in_progress", output: [] };
  const place = { item_id: `msg_${id}`, output_index: items.length, content_index: 0 };
  const open = { ...said(id, ""), status: "in_progress", content: [] };
  const events = [
    { type: "response.created", response },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index, item },
    ]),
    ...(cut === null
      ? [{ type: "response.completed", response: { ...response, status: "completed", output: items, usage: {} } }]
      : [
          { type: "response.output_item.added", output_index: items.length, item: open },
          ...[...cut].map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
        ]),
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return () => new Response(text, { headers: { "content-type": "text/event-stream" } });
}

let users = 0;
afterEach(() => vi.restoreAllMocks());

async function user(): Promise<string> {
  const key = await keyFor(`stopping-items-${users++}`);
  await publishOwn(key, { name: "haiku", description: "Write a haiku.", body: BODY });
  await call("PUT", "/api/v1/models/m", { key, json: ENTRY });
  return key;
}

const say = (content: string) => ({ role: "user", content });
const named = (...ids: string[]) => ids.map((id) => ({ type: "item_reference", id }));
const send = (key: string, input: unknown[], more: object = {}) =>
  call("POST", "/openai/v1/responses", { key, json: { model: "m", input, stream: true, ...more } });
async function read(key: string, input: unknown[], more: object = {}) {
  const answer = await send(key, input, more);
  const text = await answer.text();
  return answer.status === 200 ? text : `${answer.status} ${text}`;
}
const inputOf = ({ body }: Sent) => body.input as Record<string, unknown>[];
const shape = (sent: Sent) =>
  inputOf(sent).map(({ type, role, content }) => (role === "assistant" ? content : (role ?? type)));
const HIDDEN = ["system", "user", "reasoning", "function_call", "function_call_output"];

describe.each([
  ["by their ids, as the AI SDK does", named("rs_b", "msg_b"), {}],
  ["whole, as others do", [said("b", "A  ha, then")], { store: false }],
])("of an answer that was stopped, what was shown of it is sent back %s", (_, part, more) => {
  it("and its hidden steps are put back, in a chat without a name, for good", async () => {
    const key = await user();
    const again = { ...load, id: "fc_r", call_id: "call_2", name: "read_skill" };
    const sent = scriptModel(
      ...[step("a", [thought("a"), load]), step("0", [said("0", "Zero.")]), step("r", [thought("r"), again])],
      ...[step("b", [thought("b")], "A  ha, then"), step("c", [said("c", "Two.")]), step("d", [said("d", "Three.")])],
    );
    await read(key, [say("Zero?")], more);
    const first = [say("Zero?"), ...("store" in more ? [said("0", "Zero.")] : named("msg_0")), say("One.")];
    expect(await read(key, first, more)).toContain("response.failed");
    const second = [...first, ...part, say("Two.")];
    expect(await read(key, second, more)).toContain('"Two."');
    const answered = "store" in more ? [said("c", "Two.")] : named("msg_c");
    expect(await read(key, [...second, ...answered, say("Three.")], more)).toContain('"Three."');
    const zero = said("0", "Zero.").content;
    const hidden = ["user", ...HIDDEN.slice(2), "A  ha, then", "user"];
    expect(shape(sent[4]!)).toEqual([...HIDDEN, zero, ...hidden]);
    expect(inputOf(sent[5]!).slice(0, -2)).toEqual(inputOf(sent[4]!));
  });
});

it("the first answer of a chat without a name is found by what was shown of it", async () => {
  const key = await user();
  const sent = scriptModel(
    ...[step("a", [thought("a"), load]), step("b", [thought("b")], "A ha"), step("c", [said("c", "Two.")])],
  );
  await read(key, [say("One.")]);
  await read(key, [say("One."), ...named("rs_b", "msg_b"), say("Two.")]);
  expect(shape(sent[2]!)).toEqual([...HIDDEN, "A ha", "user"]);
});

it("belongs to its user only, and contains only what was shown", async () => {
  const [ada, bob] = [await user(), await user()];
  scriptModel(step("b", [thought("b")], "A secret"), step("c", [thought("c"), load]));
  await read(ada, [say("One.")]);
  const taken = [say("One."), ...named("msg_b"), say("Two.")];
  expect(await read(bob, taken)).toMatch(/^404 .*item_not_found/);
  const other = await call("POST", "/openai/v1/responses", {
    ...{ key: bob, json: { model: "m", input: taken } },
    headers: { "x-conversation-id": "bobs" },
  });
  expect(other.status).toBe(404);
  // The ids of the gateway's own calls were never sent to the caller.
  expect(await read(ada, [say("One."), ...named("fc_a"), say("Two.")])).toMatch(/^404 /);
});
