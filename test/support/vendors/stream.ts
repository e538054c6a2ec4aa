// Streams answers in pieces as the vendors do (platform.openai.com/docs: streaming; platform.claude.com/docs: streaming).

import * as z from "zod";

const asked = z.looseObject({ stream: z.boolean().optional() });
const chat = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({}), finish_reason: z.string() })),
  usage: z.looseObject({}),
});
const message = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string(),
  usage: z.looseObject({}),
});

const response = z.looseObject({
  output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
  usage: z.looseObject({}),
});

/** Returns the events of an answer, or `null` if the request does not ask for a stream. */
export function streamed(route: string, request: unknown, answer: object): string | null {
  if (asked.parse(request).stream !== true) return null;
  if (route.endsWith("/chat/completions")) return chunksOf(chat.parse(answer));
  if (route.endsWith("/responses")) return itemEventsOf(response.parse(answer));
  return route === "/v1/messages" ? eventsOf(message.parse(answer)) : null;
}

function chunksOf({ choices, usage, ...shell }: z.infer<typeof chat>): string {
  const [choice] = choices;
  const { tool_calls: calls, content, ...rest } = choice?.message ?? {};
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...{ ...shell, object: "chat.completion.chunk" },
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  const made = z.array(z.looseObject({})).parse(calls ?? []);
  const said = typeof content === "string" ? [{ content: content.slice(0, 3) }, { content: content.slice(3) }] : [];
  const events = [
    chunk({ ...rest, content: content === null ? null : "" }),
    ...said.map((delta) => chunk(delta)),
    ...made.map((one, index) => chunk({ tool_calls: [{ index, ...one }] })),
    chunk({}, choice?.finish_reason ?? null),
    { ...shell, choices: [], usage },
  ];
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;
}

function eventsOf({ content, stop_reason, usage, ...shell }: z.infer<typeof message>): string {
  const begun = { ...shell, content: [], stop_reason: null, stop_sequence: null, usage };
  const events: { type: string; [field: string]: unknown }[] = [
    { type: "message_start", message: begun },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: emptied(block) },
      ...piecesOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "ping" },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

type Block = z.infer<typeof message>["content"][number];

const emptied = (block: Block) => ({
  ...block,
  ...("text" in block ? { text: "", citations: block.citations === null ? null : [] } : {}),
  ...("input" in block ? { input: {} } : {}),
  ...("thinking" in block ? { thinking: "", signature: "" } : {}),
});

function piecesOf({ type, text, thinking, signature, input, citations }: Block): object[] {
  if (type === "redacted_thinking") return [];
  if (thinking !== undefined)
    return [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature },
    ];
  if (input !== undefined) return [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  const said = String(text);
  const cited = Array.isArray(citations) ? citations : [];
  return [
    ...[said.slice(0, 3), said.slice(3)].map((piece) => ({ type: "text_delta", text: piece })),
    ...cited.map((citation) => ({ type: "citations_delta", citation })),
  ];
}

/** Each item is added empty, filled by deltas, and sent complete at its end. Only the last event contains all items. */
function itemEventsOf({ output, usage, ...shell }: z.infer<typeof response>): string {
  const begun = { ...shell, status: "in_progress", output: [], usage: null };
  const events: { type: string; [field: string]: unknown }[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.flatMap((item, index) => itemEvents(item).map((event) => ({ ...event, output_index: index }))),
    { type: "response.completed", response: { ...shell, output, usage } },
  ];
  return events
    .map((event, sequence_number) => ({ ...event, sequence_number }))
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

function itemEvents(item: z.infer<typeof response>["output"][number]): { type: string; [field: string]: unknown }[] {
  const added = (more: object) => ({ type: "response.output_item.added", item: { ...item, ...more } });
  const done = { type: "response.output_item.done", item };
  const at = { item_id: item.id };
  if (item.type === "function_call") {
    const made = String(item.arguments);
    const pieces = [made.slice(0, 3), made.slice(3)];
    return [
      added({ arguments: "", status: "in_progress" }),
      ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: made },
      done,
    ];
  }
  if (item.type !== "message") return [added({}), done];
  const [part] = z.array(z.looseObject({ text: z.string() })).parse(item.content);
  const text = part?.text ?? "";
  const place = { ...at, content_index: 0 };
  return [
    added({ content: [], status: "in_progress" }),
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...[text.slice(0, 3), text.slice(3)].map((delta) => ({
      ...{ type: "response.output_text.delta", ...place, delta, logprobs: [], obfuscation: "x" },
    })),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    done,
  ];
}
