// Test client: `@anthropic-ai/sdk` with its stream helper, tool runner and structured output.

import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import * as z from "zod";
import { type Asked, as, type Client, DOCUMENT, NO_INPUT, PICTURE } from "./client";

type Message = Anthropic.MessageParam;
type BetaMessage = Anthropic.Beta.BetaMessageParam;

const MOST = { max_tokens: 4_096 };

function userMessage({ say, attached }: Asked): Message {
  if (attached !== true) return { role: "user", content: say };
  return {
    role: "user",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PICTURE } },
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "Tide at noon." },
        ...{ title: "Tides", citations: { enabled: true } },
      },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: DOCUMENT } },
      { type: "text", text: say },
    ],
  };
}

export const anthropicSdk: Client = {
  name: "@anthropic-ai/sdk",
  api: "anthropic",
  async ask({ baseURL, key, model, headers }, history, asked) {
    const { own, schema, signal, onText } = asked;
    const anthropic = new Anthropic({
      ...{ apiKey: key, baseURL, maxRetries: 0 },
      ...(headers === undefined ? {} : { defaultHeaders: headers }),
    });
    const user = userMessage(asked);
    const messages = [...as<Message[]>(history), user];
    if (own !== undefined) {
      const runner = anthropic.beta.messages.toolRunner({
        ...{ model, ...MOST, messages: as<BetaMessage[]>(messages), stream: true },
        tools: [
          betaTool({ name: own.name, description: own.description, inputSchema: NO_INPUT, run: () => own.run() }),
        ],
      });
      const last = await runner.runUntilDone();
      const added = runner.params.messages.slice(history.length);
      return { text: textOf(last.content), added: withLast(added, last) };
    }
    if (schema === true) {
      const format = zodOutputFormat(z.object({ tide: z.string() }));
      const made = await anthropic.messages.parse({ model, ...MOST, messages, output_config: { format } });
      const content = made.content.map((block) => withoutParsed(block));
      return { text: textOf(content), parsed: made.parsed_output, added: [user, { role: "assistant", content }] };
    }
    const stream = anthropic.messages.stream({ model, ...MOST, messages }, { signal: signal ?? null });
    if (onText !== undefined) stream.on("text", onText);
    const { content } = await stream.finalMessage();
    return { text: textOf(content), added: [user, { role: "assistant", content }] };
  },
};

const textOf = (content: readonly { type: string }[]) =>
  content.flatMap((block) => (block.type === "text" ? as<{ text: string }>(block).text : [])).join("\n\n");

/** The runner's message list may not contain the last message yet. */
function withLast(added: readonly object[], { content }: { content: object[] }): object[] {
  const isThere = JSON.stringify(added.at(-1)).includes(JSON.stringify(content.at(-1)));
  return isThere ? [...added] : [...added, { role: "assistant", content }];
}

/** Removes the parsed value that the SDK adds to a block. */
function withoutParsed(block: Anthropic.ContentBlock): Anthropic.ContentBlock {
  const { parsed: _, parsed_output: __, ...rest } = as<{ parsed?: unknown; parsed_output?: unknown }>(block);
  return as<Anthropic.ContentBlock>(rest);
}
