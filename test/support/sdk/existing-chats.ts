// Chats as people have them before they know of skills: a history of their own, a tool of their own, a stream.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { withSkills as anthropicWithSkills } from "../../../sdk/src/anthropic";
import type { Chat } from "../../../sdk/src/index";
import { withSkills as openaiWithSkills } from "../../../sdk/src/openai";
import type { Vendor } from "../vendors/server";

const NOW = "2026-11-22T12:00:00Z";
const SCHEMA = { type: "object" as const, properties: {} };

/** A chat in process memory, as its back end has it: what the user says in, what the page shows out. */
export interface ExistingChat {
  messages: unknown[];
  /** Takes one turn with all rounds of its own tool; `skills: null` is the chat as it was. */
  say(text: string, skills: Chat | null, signal?: AbortSignal): Promise<string>;
  /** Calls that reached the chat's own code. */
  seen: string[];
}

export function openaiChat(vendor: Vendor, stream: boolean): ExistingChat {
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  const seen: string[] = [];
  const plain = new OpenAI({ apiKey: "none", baseURL: `${vendor.url}/v1`, maxRetries: 0 });
  const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "get_time", parameters: SCHEMA } }];
  const ask = async (openai: OpenAI, signal?: AbortSignal): Promise<OpenAI.ChatCompletionMessage> => {
    const body = { model: "gpt-6-sol", messages, tools };
    if (!stream) return (await openai.chat.completions.create(body, { signal })).choices[0]!.message;
    // The SDK's own helper puts the pieces together.
    return openai.chat.completions.stream(body, { signal }).finalMessage();
  };
  return {
    messages,
    seen,
    async say(text, skills, signal) {
      const openai = skills === null ? plain : openaiWithSkills(plain, skills);
      messages.push({ role: "user", content: text });
      for (;;) {
        const { role, content, tool_calls: calls } = await ask(openai, signal);
        messages.push({ role, content, ...(calls === undefined ? {} : { tool_calls: calls }) });
        if (!calls?.length) return content ?? "";
        for (const call of calls) {
          if (call.type !== "function") throw new Error("no such call");
          seen.push(call.function.name);
          messages.push({ role: "tool", tool_call_id: call.id, content: NOW });
        }
      }
    },
  };
}

/** @param keepsThoughts whether it asks for thoughts with their content, without which the vendor finds none again */
export function responsesChat(vendor: Vendor, stream: boolean, keepsThoughts: boolean): ExistingChat {
  const input: OpenAI.Responses.ResponseInputItem[] = [];
  const seen: string[] = [];
  const plain = new OpenAI({ apiKey: "none", baseURL: `${vendor.url}/v1`, maxRetries: 0 });
  const tools: OpenAI.Responses.FunctionTool[] = [
    { type: "function", name: "get_time", parameters: SCHEMA, strict: false },
  ];
  const include = keepsThoughts ? (["reasoning.encrypted_content"] as const) : [];
  const ask = (openai: OpenAI, signal?: AbortSignal): Promise<OpenAI.Responses.Response> => {
    const body = { model: "gpt-6-sol", instructions: "Be short.", input, tools, store: false, include: [...include] };
    if (!stream) return openai.responses.create(body, { signal });
    return openai.responses.stream(body, { signal }).finalResponse();
  };
  return {
    messages: input,
    seen,
    async say(text, skills, signal) {
      const openai = skills === null ? plain : openaiWithSkills(plain, skills);
      input.push({ role: "user", content: text });
      for (;;) {
        const { output, output_text } = await ask(openai, signal);
        // As the vendor's own guide has it; a chat that keeps no thoughts gives back what else there was.
        input.push(...output.filter(({ type }) => keepsThoughts || type !== "reasoning").map(givenBack));
        const calls = output.filter((item) => item.type === "function_call");
        if (calls.length === 0) return output_text;
        for (const call of calls) {
          seen.push(call.name);
          input.push({ type: "function_call_output", call_id: call.call_id, output: NOW });
        }
      }
    },
  };

  /** Without what the SDK's helper has put in, and, where thoughts are not kept, without the id that asks for them. */
  function givenBack(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem {
    const text = JSON.stringify(item, (field, value: unknown) =>
      ["parsed", "parsed_arguments", ...(keepsThoughts ? [] : ["id"])].includes(field) ? undefined : value,
    );
    return JSON.parse(text) as OpenAI.Responses.ResponseInputItem;
  }
}

/** @param hasTools whether it has a tool of its own */
export function anthropicChat(vendor: Vendor, stream: boolean, hasTools = true): ExistingChat {
  const messages: Anthropic.MessageParam[] = [];
  const seen: string[] = [];
  const plain = new Anthropic({ apiKey: "none", baseURL: vendor.url, maxRetries: 0 });
  const tools: Anthropic.Tool[] = [{ name: "get_time", input_schema: SCHEMA }];
  const ask = (anthropic: Anthropic, signal?: AbortSignal): Promise<Anthropic.Message> => {
    const body = { model: "claude-opus-5-5", max_tokens: 1_000, system: "Be short.", messages };
    if (hasTools) Object.assign(body, { tools });
    if (!stream) return anthropic.messages.create(body, { signal });
    return anthropic.messages.stream(body, { signal }).finalMessage();
  };
  return {
    messages,
    seen,
    async say(text, skills, signal) {
      const anthropic = skills === null ? plain : anthropicWithSkills(plain, skills);
      messages.push({ role: "user", content: text });
      for (;;) {
        const { content } = await ask(anthropic, signal);
        messages.push({ role: "assistant", content });
        const calls = content.filter((block) => block.type === "tool_use");
        if (calls.length === 0) return content.map((block) => (block.type === "text" ? block.text : "")).join("");
        seen.push(...calls.map(({ name }) => name));
        messages.push({
          role: "user",
          content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: NOW })),
        });
      }
    },
  };
}
