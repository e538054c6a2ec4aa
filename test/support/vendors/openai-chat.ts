// Simulates OpenAI's Chat Completions with its strict request validation. `CHAT_RULES` and `OPENAI_HEADERS` contain the rules and their
// sources. The fields are those of the API reference and of the types of `openai` 7.55.0 (`ChatCompletionCreateParams`). Unknown fields are
// rejected ("Unrecognized request argument"). Fields that store data in the vendor's account are omitted, because the gateway rejects them.

import * as z from "zod";
import { meteredUsage, type PrefixMeter } from "./prefix-meter";
import type { HeaderRule, Move, Rule } from "./rule";

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const content = z.union([z.string(), z.array(text).min(1)]);
/** `@openai/agents`, the vendor's own library, returns an answer's annotations with its text. */
const answered = z.union([z.string(), z.array(text.extend({ annotations: z.array(z.unknown()).optional() })).min(1)]);
const DATA = /^data:[a-z]+\/[a-z0-9.+-]+;base64,[A-Za-z0-9+/]+=*$/;
const part = z.discriminatedUnion("type", [
  text,
  z.strictObject({
    type: z.literal("image_url"),
    image_url: z.strictObject({
      url: z.union([z.string().regex(DATA), z.url({ protocol: /^https$/ })]),
      detail: z.enum(["auto", "low", "high", "original"]).optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("file"),
    file: z.strictObject({ filename: z.string(), file_data: z.string().regex(DATA) }),
  }),
]);
const name = z.string().optional();

/** Returns the message schema of a vendor with its own fields in assistant messages. */
export const messageWith = (said: z.ZodRawShape, called: z.ZodRawShape) =>
  z.discriminatedUnion("role", [
    z.strictObject({ role: z.enum(["system", "developer"]), content, name }),
    z.strictObject({ role: z.literal("user"), content: z.union([z.string(), z.array(part).min(1)]), name }),
    z.strictObject({
      role: z.literal("assistant"),
      content: answered.nullish(),
      refusal: z.string().nullish(),
      annotations: z.array(z.unknown()).optional(),
      tool_calls: z
        .array(
          z.strictObject({
            id: z.string(),
            type: z.literal("function"),
            function: z.strictObject({ name: z.string(), arguments: z.string() }),
            ...called,
          }),
        )
        .min(1)
        .optional(),
      ...said,
    }),
    z.strictObject({ role: z.literal("tool"), content, tool_call_id: z.string() }),
  ]);

/** Fields of a function in both APIs of the vendor. */
export const functionFields = {
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  parameters: z.looseObject({ type: z.literal("object", "schema must be a JSON Schema of 'type: \"object\"'") }),
};

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({ ...functionFields, strict: z.boolean().nullish() }),
});
const format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.enum(["text", "json_object"]) }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      description: z.string().optional(),
      schema: z.looseObject({}).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);
const positive = z.int().min(1).nullish();

/** Returns the request schema of a vendor with these messages. */
export function requestOf<Message extends z.ZodType>(message: Message) {
  return z.strictObject({
    model: z.string().min(1),
    messages: z.array(message).min(1),
    prompt_cache_key: z.string().max(64).optional(),
    stream: z.boolean().nullish(),
    stream_options: z.strictObject({ include_usage: z.boolean() }).nullish(),
    tools: z.array(tool).min(1, "[] is too short - 'tools'").optional(),
    tool_choice: z
      .union([
        z.enum(["none", "auto", "required"]),
        z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) }),
      ])
      .optional(),
    parallel_tool_calls: z.boolean().optional(),
    response_format: format.optional(),
    max_tokens: positive,
    max_completion_tokens: positive,
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    frequency_penalty: z.number().nullish(),
    presence_penalty: z.number().nullish(),
    n: positive,
    seed: z.int().nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
    reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
    verbosity: z.enum(["low", "medium", "high"]).nullish(),
    logprobs: z.boolean().nullish(),
    metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
    service_tier: z.enum(["auto", "default"]).nullish(),
    store: z.literal(false).nullish(),
    user: z.string().optional(),
    safety_identifier: z.string().max(64).nullish(),
  });
}

export const chatSchema = requestOf(messageWith({}, {}));

export type ChatRequest = z.infer<typeof chatSchema>;

const GUIDE = "platform.openai.com/docs: function calling";

export const CHAT_RULES = [
  {
    name: "a tool message answers a call before it",
    source: GUIDE,
    problem: ({ messages }) => {
      let open: string[] = [];
      for (const [index, each] of messages.entries()) {
        if (each.role === "assistant") open = each.tool_calls?.map(({ id }) => id) ?? [];
        else if (each.role !== "tool") open = [];
        else if (!open.includes(each.tool_call_id))
          return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[${index}].role)`;
      }
      return null;
    },
  },
  {
    name: "every call is answered before anything else is said",
    source: GUIDE,
    problem: ({ messages }) => {
      const open = new Set<string>();
      for (const each of [...messages, { role: "end" as const }]) {
        if (each.role === "tool") open.delete(each.tool_call_id);
        else if (open.size > 0)
          return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`;
        if (each.role === "assistant") for (const { id } of each.tool_calls ?? []) open.add(id);
      }
      return null;
    },
  },
  {
    name: "the assistant said something or called something",
    source: "platform.openai.com/docs: API reference, create a chat completion",
    problem: ({ messages }) => {
      const empty = messages.findIndex(
        (each) => each.role === "assistant" && each.tool_calls === undefined && !each.content,
      );
      return empty === -1
        ? null
        : `Invalid value for 'content': expected a string, got null. (messages.[${empty}].content)`;
    },
  },
] as const satisfies readonly Rule<ChatRequest>[];

export function chatAnswer(
  request: ChatRequest,
  { calls, text: said }: Move,
  step: string,
  meter: PrefixMeter,
): object {
  const tool_calls = calls.map(({ name, input }, index) => ({
    id: `call_${step}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  const ends = calls.length === 0;
  const answer = { role: "assistant", content: ends ? said : null, refusal: null, ...(ends ? {} : { tool_calls }) };
  const { input, cached } = meter.read([...(request.tools ?? []), ...request.messages]);
  return {
    ...{ id: `chatcmpl_${step}`, object: "chat.completion", created: 0, model: request.model },
    choices: [{ index: 0, message: answer, finish_reason: ends ? "stop" : "tool_calls", logprobs: null }],
    usage: meteredUsage("prompt", "completion", input, cached),
  };
}

/** Rules for the headers of every request, in both APIs of the vendor. */
export const OPENAI_HEADERS = [
  {
    name: "a key",
    source: "platform.openai.com/docs: API reference, authentication",
    status: 401,
    problem: ({ authorization }) =>
      /^Bearer \S+$/.test(authorization ?? "")
        ? null
        : "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.",
  },
  {
    name: "a body that is JSON",
    source: "platform.openai.com/docs: API reference, debugging requests",
    status: 400,
    problem: (headers) =>
      headers["content-type"]?.startsWith("application/json")
        ? null
        : "We could not parse the JSON body of your request. (Content-Type is not application/json.)",
  },
] as const satisfies readonly HeaderRule[];
