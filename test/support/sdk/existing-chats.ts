// Typical chats before skills are added: with their own history, tool and stream.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { withSkills as anthropicWithSkills } from "../../../sdk/src/anthropic";
import type { Chat } from "../../../sdk/src/index";
import { withSkills as openaiWithSkills } from "../../../sdk/src/openai";
import type { Vendor } from "../vendors/server";

const NOW = "2026-11-22T12:00:00Z";
const SCHEMA = { type: "object" as const, properties: {} };

/** A chat in the memory of a back end: the user's message in, the shown text out. */
export interface ExistingChat {
  messages: unknown[];
  /** Runs one turn with all rounds of the chat's own tool. `skills: null` runs the chat without the gateway. */
  say(text: string, skills: Chat | null, signal?: AbortSignal): Promise<string>;
  /** Calls that reached the chat's own tool. */
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
    // The SDK's own helper assembles the stream.
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

/** @param keepsThoughts whether it requests encrypted reasoning content, without which the vendor cannot restore reasoning */
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
        // As in the vendor's guide. A chat that does not store reasoning returns only the other items.
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

  /** Removes the fields that the SDK's helper has added and, if reasoning is not stored, the id that refers to it. */
  function givenBack(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem {
    const text = JSON.stringify(item, (field, value: unknown) =>
      ["parsed", "parsed_arguments", ...(keepsThoughts ? [] : ["id"])].includes(field) ? undefined : value,
    );
    return JSON.parse(text) as OpenAI.Responses.ResponseInputItem;
  }
}

/** @param hasTools whether it has its own tool */
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
