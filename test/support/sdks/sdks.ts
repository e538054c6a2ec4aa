// The official SDKs, used as in the examples.

import Anthropic from "@anthropic-ai/sdk";
import { createGateway, generateText, jsonSchema, type ModelMessage, type ToolSet, tool } from "ai";
import OpenAI from "openai";
import type { Conversation, Sdk } from "./caller";

const NOW = "2026-11-22T12:00:00Z";
const SCHEMA = { type: "object" as const, properties: {} };
const OWN = { name: "get_time", description: "The time now." };
const QUIET = { apiKey: "none", maxRetries: 0 };

/** Casts a value to the SDK's type. The wire format matches these types, but the gateway's response is typed as JSON only. */
const as = <T>(value: unknown) => value as T;

const openai = ({ vendor }: Conversation) => new OpenAI({ ...QUIET, baseURL: `${vendor.url}/v1` });

export const openaiChat: Sdk = {
  format: "openai",
  read: ({ messages, ...front }) => ({ front, messages: as<unknown[]>(messages) }),
  async ask(chat, { prompt, tools }, turn) {
    const completion = await openai(chat).chat.completions.create({
      model: "gpt-6-sol",
      ...(turn.prompt_cache_key === undefined ? {} : { prompt_cache_key: turn.prompt_cache_key }),
      messages: as<OpenAI.ChatCompletionMessageParam[]>([...prompt.messages, ...chat.history]),
      tools: as<OpenAI.ChatCompletionTool[]>([
        ...tools,
        { type: "function", function: { ...OWN, parameters: SCHEMA } },
      ]),
    });
    const answer = completion.choices[0]!.message;
    chat.history.push(answer);
    return answer.tool_calls ?? [];
  },
  own: (calls) => as<{ id: string }[]>(calls).map(({ id }) => ({ role: "tool", tool_call_id: id, content: NOW })),
  add(chat, results, own) {
    for (const message of as<{ tool_call_id: string }[]>(results)) chat.told.set(message.tool_call_id, message);
    chat.history.push(...results, ...own);
  },
  replace: (told, content) => Object.assign(told, { content }),
};

export const openaiResponses: Sdk = {
  format: "openai-responses",
  read: ({ input, ...front }) => ({ front, messages: as<unknown[]>(input) }),
  async ask(chat, { prompt, tools }, turn) {
    const response = await openai(chat).responses.create({
      model: "gpt-6-sol",
      store: false,
      include: ["reasoning.encrypted_content"],
      ...(turn.prompt_cache_key === undefined ? {} : { prompt_cache_key: turn.prompt_cache_key }),
      input: as<OpenAI.Responses.ResponseInput>([...prompt.messages, ...chat.history]),
      tools: as<OpenAI.Responses.Tool[]>([...tools, { type: "function", ...OWN, parameters: SCHEMA, strict: false }]),
    });
    chat.history.push(...response.output);
    return response.output.filter(({ type }) => type === "function_call");
  },
  own: (calls) =>
    as<{ call_id: string }[]>(calls).map(({ call_id }) => ({ type: "function_call_output", call_id, output: NOW })),
  add(chat, results, own) {
    for (const item of as<{ call_id: string }[]>(results)) chat.told.set(item.call_id, item);
    chat.history.push(...results, ...own);
  },
  replace: (told, content) => Object.assign(told, "output" in told ? { output: content } : { content }),
};

export const anthropicMessages: Sdk = {
  format: "anthropic",
  read: ({ messages, ...front }) => ({ front, messages: as<unknown[]>(messages) }),
  async ask(chat, { prompt, tools }, { cache_control: mark }) {
    const all = [...as<Anthropic.Tool[]>(tools), { ...OWN, input_schema: SCHEMA }];
    const answer = await new Anthropic({ ...QUIET, baseURL: chat.vendor.url }).messages.create({
      ...{ model: "claude-opus-5-5", max_tokens: 4_096 },
      ...(mark === undefined ? {} : { cache_control: mark.conversation }),
      system: [{ type: "text", text: prompt.system, ...(mark === undefined ? {} : { cache_control: mark.system }) }],
      tools: all.map((each, index) =>
        index === all.length - 1 && mark !== undefined ? { ...each, cache_control: mark.tools } : each,
      ),
      // Under delivery `message` the loaded instructions are between the prompt and the history.
      messages: as<Anthropic.MessageParam[]>([...prompt.messages, ...chat.history]),
    });
    chat.history.push({ role: "assistant", content: answer.content });
    return answer.content.filter(({ type }) => type === "tool_use");
  },
  own: (calls) => as<{ id: string }[]>(calls).map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: NOW })),
  add(chat, messages, own) {
    const results = as<{ content: { tool_use_id: string }[] }[]>(messages).flatMap(({ content }) => content);
    for (const block of results) chat.told.set(block.tool_use_id, block);
    chat.history.push({ role: "user", content: [...results, ...own] });
  },
  replace: (told, content) => Object.assign(told, { content }),
};

export const aiSdk: Sdk = {
  format: "mcp",
  read: ({ prompt, ...front }) => ({ front, messages: as<unknown[]>(prompt) }),
  async ask(chat, { prompt, tools }) {
    const model = createGateway({ baseURL: chat.vendor.url, apiKey: "none" })("openai/gpt-6-sol");
    const definitions = as<{ name: string; description: string; inputSchema: object }[]>([
      ...tools,
      { ...OWN, inputSchema: SCHEMA },
    ]);
    const answer = await generateText({
      ...{ model, maxRetries: 0, instructions: prompt.system },
      messages: as<ModelMessage[]>([...prompt.messages, ...chat.history]),
      tools: Object.fromEntries(
        definitions.map(({ name, description, inputSchema }) => [
          name,
          tool({ description, inputSchema: jsonSchema(inputSchema) }),
        ]),
      ) as ToolSet,
    });
    chat.history.push(...answer.response.messages);
    return answer.toolCalls;
  },
  own: (calls) =>
    as<{ toolCallId: string; toolName: string }[]>(calls).map(({ toolCallId, toolName }) => ({
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: NOW } }],
    })),
  add(chat, messages, own) {
    const parts = as<{ content: { toolCallId: string }[] }[]>(messages).flatMap(({ content }) => content);
    for (const part of parts) chat.told.set(part.toolCallId, part);
    chat.history.push(...messages, ...own);
  },
  // An MCP message has one content block, the SDK's message has a list.
  appended: (message) => ("content" in message ? { ...message, content: [message.content] } : message),
  replace: (told, content) =>
    Object.assign(
      told,
      "output" in told ? { output: { type: "text", value: content } } : { content: [{ type: "text", text: content }] },
    ),
};
