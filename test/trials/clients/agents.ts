// Client `@openai/agents`: an agent with tools and a runner for its turns, in each API that it supports.

import { Agent, type AgentInputItem, OpenAIProvider, Runner, tool } from "@openai/agents";
import OpenAI from "openai";
import * as z from "zod";
import { type Asked, as, type Client, DOCUMENT, PICTURE } from "../../support/clients/client";

function userItem({ say, attached }: Asked): AgentInputItem {
  if (attached !== true) return { role: "user", content: say };
  return {
    role: "user",
    content: [
      { type: "input_text", text: say },
      { type: "input_image", image: `data:image/png;base64,${PICTURE}` },
      { type: "input_file", file: `data:application/pdf;base64,${DOCUMENT}`, filename: "tides.pdf" },
    ],
  };
}

function clientOf(name: string, api: Client["api"]): Client {
  return {
    ...{ name, api },
    async ask({ baseURL, key, model, headers }, history, asked) {
      const { own, schema, signal, onText } = asked;
      const openAIClient = new OpenAI({ apiKey: key, baseURL, maxRetries: 0, defaultHeaders: headers ?? {} });
      const modelProvider = new OpenAIProvider({
        openAIClient: as<never>(openAIClient),
        useResponses: api === "openai-responses",
      });
      const runner = new Runner({ modelProvider, tracingDisabled: true });
      const ownTools = own === undefined ? [] : [tool({ ...own, parameters: z.object({}), execute: () => own.run() })];
      const agent = new Agent({
        ...{ name: "clerk", model, tools: ownTools },
        ...(schema === true ? { outputType: z.object({ tide: z.string() }) } : {}),
      });
      const input = [...as<AgentInputItem[]>(history), userItem(asked)];
      const result = await runner.run(as<Agent>(agent), input, { stream: true, ...(signal ? { signal } : {}) });
      const texts: string[] = [];
      for await (const piece of result.toTextStream()) {
        texts.push(piece);
        onText?.(piece);
      }
      signal?.throwIfAborted();
      await result.completed;
      const parsed = schema === true ? result.finalOutput : undefined;
      return { text: texts.join(""), parsed, added: result.history.slice(history.length) };
    },
  };
}

export const agentsChat = clientOf("@openai/agents, chat", "openai-chat");
export const agentsResponses: Client = { ...clientOf("@openai/agents", "openai-responses"), keepsAtVendor: true };
