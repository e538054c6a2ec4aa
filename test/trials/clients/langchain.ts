// `@langchain/openai`: its chat model with bound tools, streams and structured output.

import {
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  type StoredMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import * as z from "zod";
import { type Asked, as, type Client, DOCUMENT, PICTURE } from "../../support/clients/client";

function userMessage({ say, attached }: Asked): HumanMessage {
  if (attached !== true) return new HumanMessage(say);
  return new HumanMessage({
    content: [
      { type: "text", text: say },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
      {
        ...{ type: "file", source_type: "base64", mime_type: "application/pdf", data: DOCUMENT },
        metadata: { filename: "tides.pdf" },
      },
    ],
  });
}

function clientOf(name: string, api: Client["api"]): Client {
  return {
    ...{ name, api },
    async ask({ baseURL, key, model, headers }, history, asked) {
      const { own, schema, signal, onText } = asked;
      const chat = new ChatOpenAI({
        ...{ model, apiKey: key, maxRetries: 0, useResponsesApi: api === "openai-responses" },
        configuration: { baseURL, defaultHeaders: headers ?? {} },
      });
      const before = mapStoredMessagesToChatMessages(as<StoredMessage[]>(history));
      const made: BaseMessage[] = [userMessage(asked)];
      if (schema === true) {
        const form = z.object({ tide: z.string() });
        const formed = chat.withStructuredOutput(form, { name: "tide", method: "jsonSchema", includeRaw: true });
        const { raw, parsed } = await formed.invoke([...before, ...made]);
        made.push(raw);
        return { text: "", parsed, added: mapChatMessagesToStoredMessages(made) };
      }
      const bound =
        own === undefined ? chat : chat.bindTools([tool(() => own.run(), { ...own, schema: z.object({}) })]);
      const texts: string[] = [];
      for (;;) {
        let whole: AIMessageChunk | undefined;
        for await (const piece of await bound.stream([...before, ...made], signal ? { signal } : {})) {
          whole = whole === undefined ? piece : whole.concat(piece);
          if (piece.text === "") continue;
          texts.push(piece.text);
          onText?.(piece.text);
        }
        signal?.throwIfAborted();
        if (whole === undefined) throw new Error("the stream was empty");
        made.push(whole);
        const calls = whole.tool_calls ?? [];
        if (own === undefined || calls.length === 0) break;
        made.push(...calls.map(({ id = "" }) => new ToolMessage({ content: own.run(), tool_call_id: id })));
      }
      return { text: texts.join(""), added: mapChatMessagesToStoredMessages(made) };
    },
  };
}

export const langchainChat = clientOf("@langchain/openai, chat", "openai-chat");
export const langchainResponses: Client = {
  ...clientOf("@langchain/openai, responses", "openai-responses"),
  keepsAtVendor: true,
};
