// Model APIs of four hosts: parses their requests and formats the model's answers.

import * as z from "zod";
import { streamed } from "../../support/vendors/stream";

/** A tool that the model can call. */
export interface Offered {
  name: string;
  /** The group of the tool, for hosts with groups. A call names it in addition to the tool. */
  namespace: string | null;
  description: string;
}

/** A request of a host to its model. */
export interface Heard {
  /** The whole request body, unparsed. */
  text: string;
  tools: Offered[];
  /** Results of the calls in this chat, in order. */
  results: string[];
}

/** An action of the model: a tool call, or a text that ends the chat. */
export type Move = { call: { tool: Pick<Offered, "name" | "namespace">; input: object } } | { say: string };

export interface Dialect {
  hear(body: unknown): Omit<Heard, "text">;
  /** Returns the response body, as an event stream if the request asked for one. */
  answer(move: Move, id: string, body: unknown): { type: "application/json" | "text/event-stream"; text: string };
}

const words = z.string().default("");
const anything = z.looseObject({});

const chatRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown().optional() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string(), description: words }) })).default([]),
});

const chat: Dialect = {
  hear(body) {
    const { messages, tools } = chatRequest.parse(body);
    return {
      tools: tools.map(({ function: { name, description } }) => ({ name, description, namespace: null })),
      results: messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
    };
  },
  answer(move, id, body) {
    const message =
      "say" in move
        ? { role: "assistant", content: move.say }
        : {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                ...{ id: `call_${id}`, type: "function" },
                function: { name: move.call.tool.name, arguments: JSON.stringify(move.call.input) },
              },
            ],
          };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const shell = { id: `chatcmpl-${id}`, object: "chat.completion", created: 7, model: "trial" };
    const finish_reason = "say" in move ? "stop" : "tool_calls";
    return sent("/chat/completions", body, { ...shell, choices: [{ index: 0, message, finish_reason }], usage });
  },
};

const functionTool = z.looseObject({ type: z.literal("function"), name: z.string(), description: words });
const responsesRequest = z.looseObject({
  input: z.union([z.string(), z.array(z.looseObject({ type: z.string().optional(), output: z.unknown().optional() }))]),
  tools: z
    .array(
      z.union([
        functionTool,
        z.looseObject({ type: z.literal("namespace"), name: z.string(), tools: z.array(functionTool) }),
        anything,
      ]),
    )
    .default([]),
});

const responses: Dialect = {
  hear(body) {
    const { input, tools } = responsesRequest.parse(body);
    const items = typeof input === "string" ? [] : input;
    return {
      tools: tools.flatMap((tool): Offered[] => {
        const single = functionTool.safeParse(tool).data;
        if (single !== undefined) return [{ ...single, namespace: null }];
        const group = z.object({ name: z.string(), tools: z.array(functionTool) }).safeParse(tool).data;
        return group === undefined ? [] : group.tools.map((one) => ({ ...one, namespace: group.name }));
      }),
      results: items.filter(({ type }) => type === "function_call_output").map(({ output }) => textOf(output)),
    };
  },
  answer(move, id, body) {
    const item =
      "say" in move
        ? {
            ...{ type: "message", id: `msg_${id}`, role: "assistant", status: "completed" },
            content: [{ type: "output_text", text: move.say, annotations: [] }],
          }
        : {
            ...{ type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, status: "completed" },
            ...{ name: move.call.tool.name, arguments: JSON.stringify(move.call.input) },
            ...(move.call.tool.namespace === null ? {} : { namespace: move.call.tool.namespace }),
          };
    const usage = {
      ...{ input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
    };
    const shell = { id: `resp_${id}`, object: "response", created_at: 7, model: "trial", status: "completed" };
    return sent("/responses", body, { ...shell, output: [item], usage });
  },
};

const messagesRequest = z.looseObject({
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]) })),
  tools: z.array(z.looseObject({ name: z.string(), description: words })).default([]),
});

const messages: Dialect = {
  hear(body) {
    const request = messagesRequest.parse(body);
    const blocks = request.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    return {
      tools: request.tools.map(({ name, description }) => ({ name, description, namespace: null })),
      results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => textOf(content)),
    };
  },
  answer(move, id, body) {
    const content =
      "say" in move
        ? { type: "text", text: move.say }
        : { type: "tool_use", id: `toolu_${id}`, name: move.call.tool.name, input: move.call.input };
    const shell = { id: `msg_${id}`, type: "message", role: "assistant", model: "trial", stop_sequence: null };
    const usage = { input_tokens: 10, output_tokens: 5 };
    const stop_reason = "say" in move ? "end_turn" : "tool_use";
    return sent("/v1/messages", body, { ...shell, content: [content], stop_reason, usage });
  },
};

const declaration = z.looseObject({ name: z.string(), description: words });
const geminiRequest = z.looseObject({
  contents: z.array(
    z.looseObject({
      parts: z.array(
        z.looseObject({ functionResponse: z.looseObject({ response: z.unknown().optional() }).optional() }),
      ),
    }),
  ),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(declaration).default([]) })).default([]),
});

const gemini: Dialect = {
  hear(body) {
    const { contents, tools } = geminiRequest.parse(body);
    const given = contents
      .flatMap(({ parts }) => parts.map((part) => part.functionResponse))
      .filter((one) => one !== undefined);
    return {
      tools: tools.flatMap(({ functionDeclarations }) =>
        functionDeclarations.map(({ name, description }) => ({ name, description, namespace: null })),
      ),
      results: given.map(({ response }) => textOf(response)),
    };
  },
  answer(move) {
    const part =
      "say" in move
        ? { text: move.say }
        : { functionCall: { name: move.call.tool.name, args: move.call.input }, thoughtSignature: "dHJpYWw=" };
    const answer = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "trial",
    };
    return { type: "text/event-stream", text: `data: ${JSON.stringify(answer)}\n\n` };
  },
};

/** Returns the dialect of a route, or `null` for routes without a model. */
export function dialectOf(route: string): Dialect | null {
  if (route.endsWith("/chat/completions")) return chat;
  if (route.endsWith("/responses")) return responses;
  if (route.endsWith("/messages")) return messages;
  if (route.endsWith(":streamGenerateContent")) return gemini;
  if (!route.endsWith(":generateContent")) return null;
  return {
    ...gemini,
    answer: (move, id, body) => ({
      type: "application/json",
      text: gemini.answer(move, id, body).text.replace(/^data: |\n\n$/g, ""),
    }),
  };
}

function sent(route: string, request: unknown, answer: object): ReturnType<Dialect["answer"]> {
  const stream = streamed(route, request, answer);
  if (stream === null) return { type: "application/json", text: JSON.stringify(answer) };
  return { type: "text/event-stream", text: stream };
}

/** Returns the text of a tool result, however the host wraps it. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  const one = anything.safeParse(value).data;
  return one === undefined ? "" : Object.values(one).map(textOf).join("\n");
}
