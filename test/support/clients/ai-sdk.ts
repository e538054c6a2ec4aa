// Test client: the AI SDK with each provider that takes a base URL, with `streamText`, its tool loop and structured output.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { isStepCount, jsonSchema, type LanguageModel, type ModelMessage, Output, streamText, tool } from "ai";
import * as z from "zod";
import { type Asked, as, type Client, DOCUMENT, NO_INPUT, PICTURE, type Place } from "./client";

const tide = z.object({ tide: z.string() });

function userMessage({ say, attached }: Asked): ModelMessage {
  if (attached !== true) return { role: "user", content: say };
  return {
    role: "user",
    content: [
      { type: "text", text: say },
      { type: "file", mediaType: "image/png", data: PICTURE },
      { type: "file", mediaType: "application/pdf", data: DOCUMENT, filename: "tides.pdf" },
    ],
  };
}

function clientOf(name: string, api: Client["api"], modelAt: (place: Place) => LanguageModel): Client {
  return {
    ...{ name, api },
    async ask(place, history, asked) {
      const { own, schema, signal, onText } = asked;
      const user = userMessage(asked);
      const failures: unknown[] = [];
      const answer = streamText({
        ...{ model: modelAt(place), maxRetries: 0, messages: as<ModelMessage[]>([...history, user]) },
        ...(signal === undefined ? {} : { abortSignal: signal }),
        ...(schema === true ? { output: Output.object({ schema: tide }) } : {}),
        ...(own === undefined ? {} : { tools: { [own.name]: ownTool(own) }, stopWhen: isStepCount(5) }),
        onError: ({ error }) => {
          failures.push(error);
        },
      });
      const texts: string[] = [];
      for await (const piece of answer.textStream) {
        texts.push(piece);
        onText?.(piece);
      }
      if (failures.length > 0) throw failures[0];
      signal?.throwIfAborted();
      const messages = await answer.responseMessages;
      const parsed = schema === true ? await answer.output : undefined;
      return { text: texts.join(""), parsed, added: [user, ...messages] };
    },
  };
}

const ownTool = ({ description, run }: NonNullable<Asked["own"]>) =>
  tool({ description, inputSchema: jsonSchema(NO_INPUT), execute: async () => run() });

const options = ({ baseURL, key, headers }: Place) => ({ baseURL, apiKey: key, ...(headers ? { headers } : {}) });

export const aiOpenaiChat = clientOf("ai + @ai-sdk/openai, chat", "openai-chat", (place) =>
  createOpenAI(options(place)).chat(place.model),
);

export const aiOpenaiResponses: Client = {
  ...clientOf("ai + @ai-sdk/openai", "openai-responses", (place) => createOpenAI(options(place))(place.model)),
  keepsAtVendor: true,
};

export const aiCompatible = clientOf("ai + @ai-sdk/openai-compatible", "openai-chat", (place) =>
  createOpenAICompatible({ name: "gateway", supportsStructuredOutputs: true, ...options(place) })(place.model),
);

/** Unlike the vendor's own SDK, this provider expects the version in the base URL. */
export const aiAnthropic = clientOf("ai + @ai-sdk/anthropic", "anthropic", (place) =>
  createAnthropic(options({ ...place, baseURL: `${place.baseURL}/v1` }))(place.model),
);
