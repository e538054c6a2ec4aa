// Replaces `fetch` with a Chat Completions vendor. Its model follows the test's script, and every request is recorded.

import { vi } from "vitest";

export interface Sent {
  url: string;
  headers: Headers;
  text: string;
  body: { model: string; messages: Record<string, unknown>[]; tools?: { function: { name: string } }[] } & Record<
    string,
    unknown
  >;
}

/** Created for each request, because a body can be read only once. */
export type Reply = () => Response | Promise<Response>;

export const HOST = "api.vendor.example.com";
export const ENTRY = { api: ["openai-chat"], base_url: `https://${HOST}/v1`, model: "vendor-model-1" };

/** Answers each request to the vendor with the next reply. Other hosts are not affected. */
export function scriptModel(...replies: Reply[]): Sent[] {
  const sent: Sent[] = [];
  const elsewhere = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (URL.parse(url)?.hostname !== HOST) return elsewhere(input, init);
    const text = String(init?.body ?? "");
    sent.push({ url, headers: new Headers(init?.headers), text, body: JSON.parse(text) });
    const reply = replies.shift();
    if (reply === undefined) throw new Error(`nobody has said what to answer: ${text.slice(0, 200)}`);
    return reply();
  });
  return sent;
}

const SHELL = { object: "chat.completion.chunk", created: 7, model: "vendor-model-1", system_fingerprint: "fp_1" };

/** Returns a stream of chunks with these deltas. */
export function chunks(id: string, deltas: object[], finish: string | null, more: object = {}): Reply {
  const chunk = (delta: object, reason: string | null = null) => ({
    ...{ id, ...SHELL, ...more },
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const events = [
    ...deltas.map((delta) => chunk(delta)),
    ...(finish === null ? [] : [chunk({}, finish), { id, ...SHELL, choices: [], usage }]),
  ];
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const headers = { "content-type": "text/event-stream" };
  return () => new Response(text + (finish === null ? "" : "data: [DONE]\n\n"), { headers });
}

/** Returns a reply with text. */
export const saying = (id: string, text: string, more: object = {}) =>
  chunks(id, [{ role: "assistant", content: "", ...more }, { content: text }], "stop");

/** Returns a reply that calls tools, with text before the calls. */
export function calling(id: string, calls: [id: string, name: string, input: object][], text = "", more: object = {}) {
  const made = calls.flatMap(([call, name, input], index) => [
    { tool_calls: [{ index, id: call, type: "function", function: { name, arguments: "" } }] },
    { tool_calls: [{ index, function: { arguments: JSON.stringify(input) } }] },
  ]);
  const first = { role: "assistant", content: null, ...more };
  return chunks(id, [first, ...(text === "" ? [] : [{ content: text }]), ...made], "tool_calls");
}

export const failing =
  (status: number, body: object = { error: { message: "no", type: "server_error" } }): Reply =>
  () =>
    Response.json(body, { status });
