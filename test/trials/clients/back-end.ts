// The back end of the page: the AI SDK in the route that `@assistant-ui/react` calls. It stores the gateway key.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type FrontendTools, frontendTools } from "@assistant-ui/react-ai-sdk";
import {
  convertToModelMessages,
  generateText,
  type LanguageModel,
  pipeUIMessageStreamToResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from "ai";
import { build } from "esbuild";
import { as, type Client, type Place } from "../../support/clients/client";

const MODELS: Record<Client["api"], (place: Place) => LanguageModel> = {
  "openai-chat": ({ baseURL, key, headers = {}, model }) =>
    createOpenAICompatible({ name: "gateway", baseURL, apiKey: key, headers })(model),
  "openai-responses": ({ baseURL, key, headers = {}, model }) => createOpenAI({ baseURL, apiKey: key, headers })(model),
  anthropic: ({ baseURL, key, headers = {}, model }) =>
    createAnthropic({ baseURL: `${baseURL}/v1`, apiKey: key, headers })(model),
};

export interface BackEnd {
  url: string;
  /** Sets the API and URL for the next requests, and whether they send a conversation id. */
  ask(api: Client["api"], place: Place, isNamed: boolean): void;
  close(): Promise<void>;
}

export async function startBackEnd(): Promise<BackEnd> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, "../page/page.ts")],
    ...{ bundle: true, write: false, platform: "browser", format: "esm" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const page: Record<string, [type: string, text: string]> = {
    "/": ["text/html", '<!doctype html><title>Chat</title><body><script type="module" src="/page.js"></script>'],
    "/page.js": ["text/javascript", outputFiles[0]?.text ?? ""],
  };
  let modelFor = (_: { id?: string; isTitle?: boolean }): LanguageModel => {
    throw new Error("nobody has said where to ask");
  };
  const server = createServer(async (request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const [route = ""] = (request.url ?? "").split("?");
    const found = page[route];
    if (found !== undefined) return response.writeHead(200, { "content-type": found[0] }).end(found[1]);
    if (!route.startsWith("/api/")) return response.writeHead(204).end();
    const body = await bodyOf(request);
    if (route === "/api/title") {
      const prompt = `Give this chat a title: ${body}`;
      const { text } = await generateText({ model: modelFor({ isTitle: true }), maxRetries: 0, prompt });
      return response.end(text);
    }
    const { id, messages, tools } = as<{ id: string; messages: UIMessage[]; tools: FrontendTools }>(JSON.parse(body));
    const { stream } = streamText({
      ...{ model: modelFor({ id }), maxRetries: 0, abortSignal: gone.signal },
      ...{ messages: await convertToModelMessages(messages), tools: frontendTools(tools) },
    });
    return pipeUIMessageStreamToResponse({ response, stream: toUIMessageStream({ stream, onError: String }) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${as<AddressInfo>(server.address()).port}`,
    ask: (api, place, isNamed) => {
      modelFor = ({ id, isTitle }) =>
        MODELS[api]({
          ...place,
          model: isTitle === true ? `${place.model}:plain` : place.model,
          headers: { ...place.headers, ...(isNamed && id !== undefined ? { "X-Conversation-Id": id } : {}) },
        });
    },
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
