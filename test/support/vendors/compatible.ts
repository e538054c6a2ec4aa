// Simulates two vendors with Chat Completions that require their own fields in returned messages, in addition to the rules of
// `openai-chat.ts`:
// - DeepSeek (api-docs.deepseek.com: thinking mode, tool calls): "For turns that do perform tool calls, the `reasoning_content` must be
// fully passed back to the API in all subsequent requests", else 400.
// - Gemini 3 through its OpenAI-compatible address (ai.google.dev/gemini-api/docs: thought signatures): the first call of each step of the
// current turn must contain the unchanged `extra_content.google.thought_signature`, else 400.

import * as z from "zod";
import { CHAT_RULES, type ChatRequest, chatAnswer, messageWith, requestOf } from "./openai-chat";
import type { PrefixMeter } from "./prefix-meter";
import type { Move, Rule } from "./rule";

const signed = z.strictObject({ google: z.strictObject({ thought_signature: z.string() }) });

export const deepseekSchema = requestOf(messageWith({ reasoning_content: z.string().nullish() }, {}));
export const geminiSchema = requestOf(
  messageWith({ extra_content: signed.optional() }, { extra_content: signed.optional() }),
);

type Message = ChatRequest["messages"][number] & { reasoning_content?: unknown; extra_content?: unknown };

/** Returns the thought of a step. The value depends on the id, so that invented thoughts are detected. */
const thoughtOf = (id: string) => `Thinking about ${id}.`;
const signatureOf = (id: string) => ({ google: { thought_signature: Buffer.from(id).toString("base64") } });

const stepsIn = ({ messages }: ChatRequest) =>
  messages.flatMap((message: Message, at) => {
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
    const [first] = calls;
    return first === undefined ? [] : [{ at, message, first }];
  });

export const DEEPSEEK_RULES: readonly Rule<ChatRequest>[] = [
  ...CHAT_RULES,
  {
    name: "a message with calls brings what was thought",
    source: "api-docs.deepseek.com: thinking mode, tool calls",
    problem: (request) =>
      stepsIn(request).every(({ message, first }) => message.reasoning_content === thoughtOf(first.id))
        ? null
        : "The `reasoning_content` in the thinking mode must be passed back to the API.",
  },
];

export const GEMINI_RULES: readonly Rule<ChatRequest>[] = [
  ...CHAT_RULES,
  {
    name: "the first call of a step brings its signature",
    source: "ai.google.dev/gemini-api/docs: thought signatures, function calling is strict",
    problem: (request) => {
      const turn = request.messages.findLastIndex(({ role }) => role === "user");
      const open = stepsIn(request).find(({ at, first }) => {
        const { extra_content: brought } = first as { extra_content?: unknown };
        return at > turn && JSON.stringify(brought) !== JSON.stringify(signatureOf(first.id));
      });
      if (open === undefined) return null;
      const { name } = open.first.function;
      return `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${name}\`, position ${open.at}.`;
    },
  },
];

interface Completion {
  choices: { message: { tool_calls?: { id: string }[] } }[];
}

/** Returns a Chat Completions answer with the vendor's own fields. */
export function deepseekAnswer(request: ChatRequest, move: Move, step: string, meter: PrefixMeter): object {
  const answer = chatAnswer(request, move, step, meter) as Completion;
  for (const { message } of answer.choices)
    Object.assign(message, { reasoning_content: thoughtOf(message.tool_calls?.[0]?.id ?? step) });
  return answer;
}

export function geminiAnswer(request: ChatRequest, move: Move, step: string, meter: PrefixMeter): object {
  const answer = chatAnswer(request, move, step, meter) as Completion;
  for (const { message } of answer.choices) {
    const [first] = message.tool_calls ?? [];
    Object.assign(first ?? message, { extra_content: signatureOf(first?.id ?? step) });
  }
  return answer;
}
